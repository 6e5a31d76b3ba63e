#pragma once

#include "stiefel/core/cuda/reduce.cuh"
#include "stiefel/preconditioner/amg/slice_diagonals.hpp"
#include "stiefel/spmv/products/cuda/csr_view.cuh"

#include <limits>

namespace stiefel::amg {

/// The diagonals of 32 neighbouring rows, a lane each: each(diagonal, k) for one after the other, where entry k of the
/// lane's row is on it, or k is -1; all lanes of a warp call it together, those without a row too. Stops and returns
/// false when there are more than `most`.
template <class T, class Each>
__device__ bool for_diagonals(const cuda::CsrView<T>& a, Size row, Index most, Each&& each) {
    constexpr int none = std::numeric_limits<int>::max();
    const bool is_row = row < a.n_rows;
    Size k = is_row ? a.row_ptr[row] : 0;
    const Size end = is_row ? a.row_ptr[row + 1] : 0;
    const auto own_diagonal = [&] { return k < end ? a.col_idx[k] - static_cast<Index>(row) : none; };
    int own = own_diagonal();
    for (Index found = 0;; ++found) {
        const int least = __reduce_min_sync(all_lanes, own);
        if (least == none) return true;
        if (found == most) return false;
        const bool is_on = own == least;
        each(least, is_on ? k : Size{-1});
        if (!is_on) continue;
        ++k;
        own = own_diagonal();
    }
}

}  // namespace stiefel::amg
