#pragma once

#include "stiefel/core/cuda/check.hpp"

#include <cstdint>

namespace stiefel {

/// Brings whole 16-byte pieces of the next `bytes` bytes as near as the second-level cache, from compute capability
/// 9.0; nobody waits for them.
__device__ inline void ask_for(const void* from, Size bytes) {
#if __CUDA_ARCH__ >= 900
    constexpr std::uintptr_t piece = 16;
    const auto whole = static_cast<unsigned>(bytes / static_cast<Size>(piece) * static_cast<Size>(piece));
    if (whole == 0) return;
    asm volatile(
        "cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(reinterpret_cast<std::uintptr_t>(from) & ~(piece - 1)),
        "r"(whole)
        : "memory");
#endif
}

}  // namespace stiefel
