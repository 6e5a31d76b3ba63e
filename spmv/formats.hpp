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
    Size structure_bytes = 0;  ///< besides the entries: what finds the rows

    /// What bytes() of the converted matrix says.
    Size bytes(Size value_bytes) const {
        return entries * (value_bytes + static_cast<Size>(sizeof(Index))) + structure_bytes;
    }
};

/// SELL as it is made unless something else is asked for: slices of 32 rows, a warp's width and four vectors' of
/// AVX-512, sorted within 256 rows where row lengths differ by more than a quarter of their mean.
inline constexpr Index sell_slice_height = 32;
Index sell_sorting_window(const RowStatistics& rows);

/// What the library knows of a format beyond its type:
///     name                 for users
///     Shape                what else there is to say of a conversion
///     shapes<Memory>       those worth a try in this memory, the usual first
///     competes<Memory>     whether the automatic choice considers it there; it can always be asked for
///     conversion_products  what conversion from CSR takes, in products with CSR (docs/performance.md)
///     size                 what it stores, from the row lengths alone, without converting
///     from_csr             the conversion (not of CSR itself)
template <template <class T, class Memory> class Format>
struct FormatTraits;

template <>
struct FormatTraits<Csr> {
    static constexpr std::string_view name = "csr";
    struct Shape {};
    template <class Memory>
    static std::array<Shape, 1> shapes(const RowStatistics&) {
        return {};
    }
    template <class Memory>
    static constexpr bool competes = true;
    static constexpr double conversion_products = 0;
    static FormatSize size(OpenMP&, const RowOffsets<HostMemory>& row_ptr, Shape);
};

/// On the host SELL runs the same inner loop with never more padding. On a device the lanes of a warp may share a row
/// of ELLPACK, which suits long rows better than SELL's thread a row. A core runs along a row, a warp's threads stand
/// side by side in a column.
template <>
struct FormatTraits<Ellpack> {
    static constexpr std::string_view name = "ellpack";
    using Shape = EllpackLayout;
    template <class Memory>
    static constexpr bool competes = !std::is_same_v<Memory, HostMemory>;
    template <class Memory>
    static auto shapes(const RowStatistics&) {
        if constexpr (competes<Memory>) {
            return std::array{EllpackLayout::column_major, EllpackLayout::row_major};
        } else {
            return std::array{EllpackLayout::row_major};
        }
    }
    static constexpr double conversion_products = 4;
    static FormatSize size(OpenMP&, const RowOffsets<HostMemory>& row_ptr, EllpackLayout);
    template <class B, class T, class Memory>
    static Ellpack<T, Memory> from_csr(B& backend, const Csr<T, Memory>& a, EllpackLayout layout, PaddingLimit limit) {
        return ellpack_from_csr(backend, a, layout, limit);
    }
};

struct SellShape {
    Index slice_height = 0;
    Index sigma = 1;
};

template <>
struct FormatTraits<Sell> {
    static constexpr std::string_view name = "sell";
    using Shape = SellShape;
    template <class Memory>
    static std::array<SellShape, 1> shapes(const RowStatistics& rows) {
        return {SellShape{sell_slice_height, sell_sorting_window(rows)}};
    }
    template <class Memory>
    static constexpr bool competes = true;
    static constexpr double conversion_products = 6;
    static FormatSize size(OpenMP&, const RowOffsets<HostMemory>& row_ptr, SellShape);
    template <class B, class T, class Memory>
    static Sell<T, Memory> from_csr(B& backend, const Csr<T, Memory>& a, SellShape shape, PaddingLimit limit) {
        return sell_from_csr(backend, a, shape.slice_height, shape.sigma, limit);
    }
};

template <template <class, class> class... Formats>
struct FormatList {
    static constexpr std::size_t size = sizeof...(Formats);
    static constexpr std::array<std::string_view, size> names{FormatTraits<Formats>::name...};

    /// f.operator()<Format>() for each of them, in order.
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
using AllFormats = FormatList<Csr, Sell, Ellpack>;

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
