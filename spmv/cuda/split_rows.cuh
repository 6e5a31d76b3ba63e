#pragma once

#include "stiefel/spmv/cuda/row_kernel.cuh"

namespace stiefel::cuda {

/// Rows whose entries lie in several equal shares of the nonzeros: each share leaves its part of the sum, and the warp
/// that arrives last adds them up in their order and stores the row.
template <Size share>
struct SplitRows {
    double* carry;      // by share: the part of the row that reaches into it, of the row that is split from it on
    double* dot;        // by share: what the split row that starts in it adds to <x, y>
    unsigned* arrived;  // by share: parts of that row that are done; 0 between kernels

    /// Called by a whole warp with its part of a row. The share where the row starts brings `starts`.
    template <class T, class Offset>
    __device__ void add(const RowOutput<T>& out, const Offset* row_ptr, Index row, Size of_share, bool starts,
                        double sum) const {
        const int lane = static_cast<int>(threadIdx.x) % warp_size;
        const Size owner = row_ptr[row] / share;
        const Size last = (row_ptr[row + 1] - 1) / share;
        const auto parts = static_cast<unsigned>(last - owner);
        bool is_last = false;
        if (lane == 0) {
            carry[2 * of_share + (starts ? 1 : 0)] = sum;
            __threadfence();
            is_last = atomicInc(arrived + owner, parts) == parts;
        }
        if (!__shfl_sync(all_lanes, is_last, 0)) return;
        __threadfence();
        sum = lane == 0 ? __ldcg(carry + 2 * owner + 1) : 0.0;
        for (Size k = owner + 1 + lane; k <= last; k += warp_size) sum += __ldcg(carry + 2 * k);
        sum = lanes_sum(sum);
        if (lane == 0) dot[owner] = out.store(row, static_cast<T>(sum));
    }
};

}  // namespace stiefel::cuda
