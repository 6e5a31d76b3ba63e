#pragma once

#include "stiefel/core/cuda/reduce.cuh"

namespace stiefel::cuda {

/// *longest = max(*longest, length); whole warps call it together.
static __device__ void raise_to(Index length, Index* longest) {
    for (int step = warp_size / 2; step > 0; step /= 2) length = max(length, __shfl_xor_sync(all_lanes, length, step));
    if (threadIdx.x % warp_size == 0 && length > *static_cast<volatile Index*>(longest)) atomicMax(longest, length);
}

}  // namespace stiefel::cuda
