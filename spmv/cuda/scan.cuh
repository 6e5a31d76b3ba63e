#pragma once

#include "stiefel/core/types.hpp"

namespace stiefel::cuda {

/// Inclusive sums in place, by one block of scan_threads: every thread sums a stretch, the stretches are scanned, and
/// added. For counts that are few beside the entries of a matrix.
inline constexpr int scan_threads = 1024;
static __global__ void scan_kernel(Size n, Size* v) {
    __shared__ Size stretch[scan_threads];
    constexpr Size per_thread = 8;
    Size before = 0;
    for (Size base = 0; base < n; base += scan_threads * per_thread) {
        const Size begin = base + threadIdx.x * per_thread;
        const Size end = min(begin + per_thread, n);
        Size sum = 0;
        for (Size i = begin; i < end; ++i) sum += v[i];
        stretch[threadIdx.x] = sum;
        __syncthreads();
        for (int step = 1; step < scan_threads; step *= 2) {
            const Size add = static_cast<int>(threadIdx.x) >= step ? stretch[threadIdx.x - step] : 0;
            __syncthreads();
            stretch[threadIdx.x] += add;
            __syncthreads();
        }
        Size running = before + stretch[threadIdx.x] - sum;
        for (Size i = begin; i < end; ++i) v[i] = running += v[i];
        before += stretch[scan_threads - 1];
        __syncthreads();
    }
}

}  // namespace stiefel::cuda
