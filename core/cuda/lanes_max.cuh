#pragma once

#include "stiefel/core/cuda/reduce.cuh"

namespace stiefel {

/// The most over groups of `lanes` neighbouring lanes of a warp (a power of two), in all of them; NaN is passed over.
/// All threads of a warp call it.
template <int lanes = warp_size, class V>
__device__ V lanes_max(V value) {
#pragma unroll
    for (int step = lanes / 2; step > 0; step /= 2) value = max(value, __shfl_xor_sync(all_lanes, value, step));
    return value;
}

}  // namespace stiefel
