#pragma once

#include "stiefel/core/memory.hpp"

namespace stiefel {

/// Where entry j of row i lies: row_major at i * stride + j (stride >= width), column_major at j * stride + i
/// (stride >= n_rows).
enum class EllpackLayout { row_major, column_major };

/// The stride of the column-major layout as conversions choose it: columns start on a cache line, whatever the type.
inline Size ellpack_column_stride(Index n_rows) {
    constexpr Size alignment = 16;
    return (Size{n_rows} + alignment - 1) / alignment * alignment;
}

/// ELLPACK (Grimes, Kincaid and Young 1979): every row padded to `width` entries. Padding holds value 0 and repeats the
/// row's last column (column 0 in an empty row), so that NaN or infinity in x spreads to no row but those that refer
/// to it and, in padded kernels, the empty ones. row_length makes it ELLPACK-R (Vazquez, Fernandez and Garzon 2011):
/// kernels that read it do no work on padding, kernels that do not, do not pay for it.
template <class T, class Memory>
struct Ellpack {
    using value_type = T;
    using memory = Memory;

    Index n_rows = 0;
    Index n_cols = 0;
    Size n_nonzeros = 0;  ///< without padding
    Index width = 0;
    Size stride = 0;
    EllpackLayout layout = EllpackLayout::row_major;
    Vector<Index, Memory> row_length{};  ///< n_rows
    Vector<Index, Memory> col_idx{};     ///< row_major: n_rows * stride; column_major: width * stride
    Vector<T, Memory> values{};

    Size nnz() const { return n_nonzeros; }

    /// Where entry j of row i lies in col_idx and values.
    Size position(Index i, Index j) const {
        return layout == EllpackLayout::row_major ? i * stride + j : j * stride + i;
    }
    Size bytes() const { return row_length.bytes() + col_idx.bytes() + values.bytes(); }
};

template <class T>
using HostEllpack = Ellpack<T, HostMemory>;

}  // namespace stiefel
