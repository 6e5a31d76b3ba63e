#pragma once

#include "stiefel/core/types.hpp"

#include <algorithm>

// Kernels with a thread for each of n elements.

namespace stiefel {

inline constexpr int element_threads = 256;  ///< of a block

/// At least one, as a kernel has to have.
inline unsigned element_blocks(Size n) {
    return static_cast<unsigned>(std::max<Size>((n + element_threads - 1) / element_threads, 1));
}

__device__ inline Size thread_number() {
    return Size{blockIdx.x} * blockDim.x + threadIdx.x;
}

}  // namespace stiefel
