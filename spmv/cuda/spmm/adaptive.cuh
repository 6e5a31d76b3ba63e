#pragma once

#include "stiefel/spmv/cuda/spmm/rows.cuh"

namespace stiefel::cuda {

// CSR-Adaptive (Greathouse and Daga 2014) for a panel: a warp takes the rows that begin in a share of the nonzeros.
// Rows of all but the last lie in the warp's part of shared memory as a whole; a last row that does not fit is the
// warp's own, chunk by chunk.

inline constexpr int adaptive_warps = spmm_threads / warp_size;
inline constexpr int adaptive_room = 2 * CsrShares::nonzeros;  ///< entries of a warp

/// The rows of share `k` that there is room for; what is left, if anything, is one long row.
struct ShareRows {
    Index begin;
    Index end;
    bool has_long_row;  ///< row `end`

    template <class Offset>
    __device__ ShareRows(const Offset* row_ptr, const Index* first_row, Size k)
        : begin(first_row[k]), end(first_row[k + 1]), has_long_row(false) {
        has_long_row = end > begin && row_ptr[end] - row_ptr[begin] > adaptive_room;
        if (has_long_row) --end;
    }
};

/// f(share) for the shares of each warp.
template <class F>
__device__ void for_shares_of_warp(Index n_shares, F&& f) {
    for (Size k = Size{blockIdx.x} * adaptive_warps + threadIdx.x / warp_size; k < n_shares;
         k += Size{gridDim.x} * adaptive_warps) {
        f(k);
    }
}

}  // namespace stiefel::cuda
