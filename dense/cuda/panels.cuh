#pragma once

#include "stiefel/core/matrix_view.hpp"
#include "stiefel/dense/cuda/ptx.cuh"

#include <cstdint>

namespace stiefel::cuda {

/// A panel as the kernels of block methods read it. Rows of 1, 2 or 4 elements that lie without gaps are folded, 8 / k
/// of them into one of 8: the matrix units multiply 8 columns whether they are there or not, and memory is read in
/// longer pieces.
template <class T>
struct Panel {
    const T* data = nullptr;
    Size ld = 0;
    Size n_rows = 0;      ///< folded rows, the last perhaps not full
    Size whole_rows = 0;  ///< rows that are full
    int n_cols = 0;       ///< of a full row
    int last_cols = 0;    ///< of the row after the whole ones

    /// Element (i, j), 0 outside; `whole` says that row i is known to be full. Converted to double only where it is
    /// used: a conversion right behind each load would wait for it before the next is started.
    __device__ T at(Size i, int j, bool whole) const {
        const bool inside = j < n_cols && (whole || i < whole_rows || (i == whole_rows && j < last_cols));
        return inside ? __ldg(data + i * ld + j) : T{0};
    }

    /// At most `most` columns from `first` on, of a panel that is not folded or not cut.
    __device__ Panel columns(int first, int most) const {
        Panel part = *this;
        part.data += first;
        part.n_cols = max(0, min(most, n_cols - first));
        return part;
    }
};

/// How many rows of panels with p and q columns can be folded into one.
inline int panel_fold(Index p, Index q, Size ldp, Size ldq) {
    return p == q && ldp == p && ldq == q && (p == 1 || p == 2 || p == 4) ? 8 / p : 1;
}

/// The matrix with `fold` rows in one.
template <class T>
Panel<T> panel(const DeviceMatrix<const T>& a, int fold) {
    Panel<T> out;
    out.data = a.data;
    out.ld = a.ld * fold;
    out.n_cols = a.n_cols * fold;
    out.whole_rows = a.n_rows / fold;
    out.last_cols = a.n_rows % fold * a.n_cols;
    out.n_rows = out.whole_rows + (out.last_cols > 0 ? 1 : 0);
    return out;
}

}  // namespace stiefel::cuda
