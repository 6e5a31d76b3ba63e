#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/device_formats.hpp"
#include "stiefel/spmv/row_statistics.hpp"

#include <array>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

// The formats as a list of types. To add one: its type and conversion, its traits below and its name in AllFormats; a
// ladder of kernels makes it usable (docs/add_a_kernel.md). SpmvOperator, the automatic choice, `--format`, `info` and
// the tests read the list.

namespace stiefel {

/// What a format stores for a matrix.
struct FormatSize {
    Size entries = 0;          ///< padding included
    Size structure_bytes = 0;  ///< besides the values: what finds rows and columns

    /// What bytes() of the converted matrix says.
    Size bytes(Size value_bytes) const { return entries * value_bytes + structure_bytes; }
};

/// SELL as it is made unless something else is asked for: slices of 32 rows, a warp's width and four vectors' of
/// AVX-512, sorted within 256 rows where row lengths differ by more than a quarter of their mean.
inline constexpr Index sell_slice_height = 32;
Index sell_sorting_window(const RowStatistics& rows);

struct SellShape {
    Index slice_height = 0;
    Index sigma = 1;
};

// What conversions would store, from the lengths of the rows or, of compressed columns, from all of the structure:
// parallel, linear in what they read.
FormatSize ellpack_size(OpenMP&, const RowOffsets<HostMemory>& row_ptr, EllpackLayout layout);
FormatSize sell_size(OpenMP&, const RowOffsets<HostMemory>& row_ptr, const SellShape& shape);
/// every: one slice of so many is looked at, and stands for them.
template <class T>
FormatSize compressed_sell_size(OpenMP&, const HostCsr<T>& a, Index sigma, Index every = 1);
/// Waits for it.
template <class T>
FormatSize compressed_sell_size(Cuda&, const DeviceCsr<T>& a, Index sigma, Index every = 1);

/// What the library knows of a format beyond its type:
///     name                 for users
///     Shape                what else there is to say of a conversion
///     shapes<Memory>       those worth a try in this memory, the usual first
///     competes<Memory>(k)  whether the automatic choice considers it there for k columns; it can always be asked for
///     family               formats of one differ by the bytes that they take: a contest tries the best of them only
///     conversion_products  what conversion from CSR takes, in products with CSR (docs/performance.md)
///     least_column_bytes   what says which column an entry has takes at least
///     size                 what it stores, without converting
///     from_csr             the conversion (not of CSR itself)
template <template <class T, class Memory> class Format>
struct FormatTraits;

template <>
struct FormatTraits<Csr> {
    static constexpr std::string_view name = "csr";
    static constexpr std::string_view family = "csr";
    struct Shape {};
    template <class Memory>
    static std::array<Shape, 1> shapes(const RowStatistics&) {
        return {};
    }
    template <class Memory>
    static constexpr bool competes(Index) {
        return true;
    }
    static constexpr double conversion_products = 0;
    static constexpr Size least_column_bytes = sizeof(Index);
    template <class T>
    static FormatSize size(OpenMP&, const HostCsr<T>& a, Shape) {
        return {.entries = a.nnz(), .structure_bytes = a.row_ptr.bytes() + a.col_idx.bytes()};
    }
};

/// On the host SELL runs the same inner loop with never more padding. On a device the lanes of a warp may share a row
/// of ELLPACK, which suits long rows better than SELL's thread a row. A core runs along a row, a warp's threads stand
/// side by side in a column.
template <>
struct FormatTraits<Ellpack> {
    static constexpr std::string_view name = "ellpack";
    static constexpr std::string_view family = "ellpack";
    using Shape = EllpackLayout;
    template <class Memory>
    static constexpr bool competes(Index) {
        return !std::is_same_v<Memory, HostMemory>;
    }
    template <class Memory>
    static auto shapes(const RowStatistics&) {
        if constexpr (competes<Memory>(1)) {
            return std::array{EllpackLayout::column_major, EllpackLayout::row_major};
        } else {
            return std::array{EllpackLayout::row_major};
        }
    }
    static constexpr double conversion_products = 4;
    static constexpr Size least_column_bytes = sizeof(Index);
    template <class T>
    static FormatSize size(OpenMP& backend, const HostCsr<T>& a, EllpackLayout layout) {
        return ellpack_size(backend, a.row_ptr, layout);
    }
    template <class B, class T, class Memory>
    static Ellpack<T, Memory> from_csr(B& backend, const Csr<T, Memory>& a, EllpackLayout layout, PaddingLimit limit) {
        return ellpack_from_csr(backend, a, layout, limit);
    }
};

/// What a contest needs to know of its size is told by a sample: all of it is as much work as a product.
template <>
struct FormatTraits<CompressedSell> {
    static constexpr std::string_view name = "compressed-sell";
    static constexpr std::string_view family = "sell";
    struct Shape {
        Index sigma = 1;
    };
    /// Panels are multiplied faster where the entries of a row lie side by side.
    template <class Memory>
    static constexpr bool competes(Index columns) {
        return columns == 1;
    }
    template <class Memory>
    static std::array<Shape, 1> shapes(const RowStatistics& rows) {
        return {Shape{sell_sorting_window(rows)}};
    }
    static constexpr double conversion_products = 6;
    static constexpr Size least_column_bytes = 0;
    template <class T>
    static FormatSize size(OpenMP& backend, const HostCsr<T>& a, Shape shape) {
        return compressed_sell_size(backend, a, shape.sigma);
    }
    template <class B, class T, class Memory>
    static FormatSize expected_size(B& backend, const Csr<T, Memory>& a, Shape shape) {
        return compressed_sell_size(backend, a, shape.sigma, 16);
    }
    template <class B, class T, class Memory>
    static CompressedSell<T, Memory> from_csr(B& backend, const Csr<T, Memory>& a, Shape shape, PaddingLimit limit) {
        return compressed_sell_from_csr(backend, a, shape.sigma, limit);
    }
};

template <>
struct FormatTraits<Sell> {
    static constexpr std::string_view name = "sell";
    static constexpr std::string_view family = "sell";
    using Shape = SellShape;
    template <class Memory>
    static std::array<SellShape, 1> shapes(const RowStatistics& rows) {
        return {SellShape{sell_slice_height, sell_sorting_window(rows)}};
    }
    template <class Memory>
    static constexpr bool competes(Index) {
        return true;
    }
    static constexpr double conversion_products = 6;
    static constexpr Size least_column_bytes = sizeof(Index);
    template <class T>
    static FormatSize size(OpenMP& backend, const HostCsr<T>& a, SellShape shape) {
        return sell_size(backend, a.row_ptr, shape);
    }
    template <class B, class T, class Memory>
    static Sell<T, Memory> from_csr(B& backend, const Csr<T, Memory>& a, SellShape shape, PaddingLimit limit) {
        return sell_from_csr(backend, a, shape.slice_height, shape.sigma, limit);
    }
};

template <template <class, class> class... Formats>
struct FormatList {
    static constexpr std::size_t size = sizeof...(Formats);
    static constexpr std::array<std::string_view, size> names{FormatTraits<Formats>::name...};

    /// `f.operator()<Format>()` for each of them, in order.
    template <class F>
    static void for_each(F&& f) {
        (f.template operator()<Formats>(), ...);
    }

    /// One of Box<Format<T, Memory>>.
    template <template <class> class Box, class T, class Memory>
    using Variant = std::variant<Box<Formats<T, Memory>>...>;

    /// A Box<Format<T, Memory>> of each.
    template <template <class> class Box, class T, class Memory>
    using Tuple = std::tuple<Box<Formats<T, Memory>>...>;
};

/// In the order in which they are preferred where several would do.
using AllFormats = FormatList<Csr, Sell, CompressedSell, Ellpack>;

/// The matrix in a format, in one of its shapes. Consumes the CSR.
template <template <class, class> class Format, class B, class T, class Memory>
Format<T, Memory> in_format(B& converter, Csr<T, Memory> a, const typename FormatTraits<Format>::Shape& shape,
                            PaddingLimit limit = {}) {
    if constexpr (std::is_same_v<Format<T, Memory>, Csr<T, Memory>>) {
        return a;
    } else {
        return FormatTraits<Format>::from_csr(converter, a, shape, limit);
    }
}

}  // namespace stiefel
