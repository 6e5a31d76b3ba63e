#pragma once

#include "stiefel/core/cuda/device_world.cuh"

namespace stiefel {

inline constexpr int warp_size = 32;
inline constexpr unsigned all_lanes = 0xffffffffu;

/// Sum over groups of `lanes` neighbouring lanes of a warp (a power of two); the sum in all of them.
template <int lanes = warp_size, class T>
__device__ T lanes_sum(T value) {
#pragma unroll
    for (int step = lanes / 2; step > 0; step /= 2) value += __shfl_xor_sync(all_lanes, value, step);
    return value;
}

/// Sums over a block of at most 1024 threads, in an order fixed by the block size; the result in the first
/// warp. Ends with the block's threads together.
template <int n>
__device__ void block_sum(double (&sums)[n]) {
    __shared__ double of_warp[n][warp_size];
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    const int n_warps = static_cast<int>(blockDim.x) / warp_size;
    for (int k = 0; k < n; ++k) {
        sums[k] = lanes_sum(sums[k]);
        if (lane == 0) of_warp[k][warp] = sums[k];
    }
    __syncthreads();
    if (warp == 0) {
        for (int k = 0; k < n; ++k) sums[k] = lanes_sum(lane < n_warps ? of_warp[k][lane] : 0.0);
    }
    __syncthreads();
}

/// The first half of grid_sum(): every block leaves its partial sums, and what it has written before is seen by the
/// block that is last to arrive. Returns whether this one is, to all of its threads.
template <int n>
__device__ bool leave_sums(double (&sums)[n], const ReductionScratch& scratch) {
    static_assert(n <= ReductionScratch::max_sums);
    __shared__ bool is_last;
    block_sum(sums);
    if (threadIdx.x == 0) {
        for (int k = 0; k < n; ++k) scratch.partials[k * ReductionScratch::max_blocks + blockIdx.x] = sums[k];
        __threadfence();
        // The ticket wraps to zero at the last block: ready for the next kernel.
        is_last = atomicInc(scratch.ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    return is_last;
}

/// The second half, by the last block: adds what all have left, in the order of the blocks, and over the world. Returns
/// true in thread 0 alone, which has the results.
template <int n>
__device__ bool add_sums_left(double (&sums)[n], const ReductionScratch& scratch, const double* more = nullptr,
                              Size n_more = 0) {
    __threadfence();
    const WorldTurn turn(scratch.world);
    for (int k = 0; k < n; ++k) {
        const double* partials = scratch.partials + k * ReductionScratch::max_blocks;
        sums[k] = 0;
        for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) sums[k] += __ldcg(partials + b);
    }
    for (Size i = threadIdx.x; i < n_more; i += blockDim.x) sums[0] += __ldcg(more + i);
    block_sum(sums);
    if (threadIdx.x < warp_size) all_sum(turn, sums);
    return threadIdx.x == 0;
}

/// Sums over the whole grid, and over the world. Every block leaves its partial sums; the last one to arrive adds them
/// in the order of the blocks, so the result depends on the shape of the grid and never on timing. Returns true in
/// thread 0 of that block alone, which has the results. All threads of all blocks must call it; the blocks are whole
/// warps and at most ReductionScratch::max_blocks. What blocks left in `more` by then is added to the first sum.
template <int n>
__device__ bool grid_sum(double (&sums)[n], const ReductionScratch& scratch, const double* more = nullptr,
                         Size n_more = 0) {
    return leave_sums(sums, scratch) && add_sums_left(sums, scratch, more, n_more);
}

}  // namespace stiefel
