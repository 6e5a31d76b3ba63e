#pragma once

#include "stiefel/spmv/cuda/csr_binned.cuh"

namespace stiefel::cuda {

template <class T, class Offset>
__device__ void load_strip(const BinnedArguments<T, Offset>& a, Index strip, T* x, int thread, int threads) {
    const Index begin = a.strip_begin[strip];
    const Index n = a.strip_begin[strip + 1] - begin;
#pragma unroll 8
    for (Index i = thread; i < n; i += threads) x[i] = __ldg(a.out.x + begin + i);
}

/// Sends the bins of this block's strips, step by step. `x` holds the first of them already.
template <class T, class Offset>
__device__ void gather(const BinnedArguments<T, Offset>& a, T* x) {
    using Half = HalfUnit<T>;
    constexpr int threads = BinLayout<T>::gather_threads;
    // What a strip usually has in a step, in one round, in double; in float that many would not fit in the registers.
    constexpr int batch = sizeof(T) == sizeof(double) ? 10 : 8;
    const int thread = static_cast<int>(threadIdx.x);
    const auto blocks = static_cast<Index>(gridDim.x);
    Index loaded = static_cast<Index>(blockIdx.x);
    for (Index step = 0; step < a.n_steps; ++step) {
        if (step >= BinLayout<T>::ring) {
            if (thread == 0) wait_for_all(a.taken + step - BinLayout<T>::ring);
            barrier(1, threads);
        }
        T* const tiles = a.gathered + Size{step % BinLayout<T>::ring} * blocks * a.tile_units * BinLayout<T>::unit;
        for (Index strip = static_cast<Index>(blockIdx.x); strip < a.n_strips; strip += blocks) {
            if (strip != loaded) {
                barrier(1, threads);
                load_strip(a, strip, x, thread, threads);
                barrier(1, threads);
                loaded = strip;
            }
            const Index* const step_begin = a.step_begin + Size{strip} * (a.n_steps + 1) + step;
            const Size end = 2 * Size{step_begin[1]};
            for (Size base = 2 * Size{step_begin[0]} + thread; base < end; base += threads * batch) {
                std::uint16_t column[batch][Half::size];
                Index to[batch];
#pragma unroll
                for (int u = 0; u < batch; ++u) {
                    const Size half = base + u * threads;
                    if (half >= end) break;
                    Half::load(a.column, half, column[u]);
                    to[u] = load_once(a.destination + half / 2);
                }
#pragma unroll
                for (int u = 0; u < batch; ++u) {
                    const Size half = base + u * threads;
                    if (half >= end) break;
                    Pack<T> pack;
#pragma unroll
                    for (int i = 0; i < Half::size; ++i) pack.value[i] = x[column[u][i]];
                    reinterpret_cast<Pack<T>*>(tiles)[2 * Size{to[u]} + half % 2] = pack;
                }
            }
        }
        barrier(1, threads);
        if (thread == 0) count_block(a.written + step);
    }
}

}  // namespace stiefel::cuda
