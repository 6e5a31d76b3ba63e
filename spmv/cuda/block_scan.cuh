#pragma once

#include "stiefel/core/cuda/reduce.cuh"

namespace stiefel::cuda {

/// The sum of what the block's threads bring, up to and with each.
__device__ inline Size block_scan(Size value) {
    __shared__ Size of_warp[warp_size];
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    for (int step = 1; step < warp_size; step *= 2) {
        const Size before = __shfl_up_sync(all_lanes, value, step);
        if (lane >= step) value += before;
    }
    if (lane == warp_size - 1) of_warp[warp] = value;
    __syncthreads();
    for (int w = 0; w < warp; ++w) value += of_warp[w];
    __syncthreads();
    return value;
}

}  // namespace stiefel::cuda
