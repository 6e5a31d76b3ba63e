#pragma once

#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/core/cuda/reduce.cuh"

namespace stiefel {

/// Threads of a block of the vector kernels.
inline constexpr int vector_threads = 256;

/// Elements that one 16-byte access moves.
template <class T>
struct alignas(16) Pack {
    static constexpr int size = 16 / static_cast<int>(sizeof(T));
    T value[size];
};

/// Packs that a thread of a vector kernel takes, so that it has several loads under way.
inline constexpr int packs_per_thread = 2;

/// Blocks of a kernel with a sum that a multiprocessor runs at a time, if their threads have at most 40 registers.
inline constexpr int summing_blocks = 6;

/// Blocks for n elements; kernels stride over what exceeds the grid. With a sum over the grid there are no more than
/// run at a time.
template <class T>
int vector_grid(const Cuda& backend, Size n, bool sums = false) {
    constexpr Size per_block = Size{vector_threads} * packs_per_thread * Pack<T>::size;
    const Size most = sums ? Size{summing_blocks} * backend.device().multiprocessors : ReductionScratch::max_blocks;
    return static_cast<int>(std::clamp<Size>((n + per_block - 1) / per_block, 1, most));
}

/// Runs f(first, whole) for the thread's packs of 0..n, elements first .. first + Pack<T>::size: `whole` for all but
/// the vector's last, partial one. A grid that descends begins with the last packs, as many at once as a block has
/// threads and within these in ascending order: counted from the end, warps would read across the boundaries of the
/// cache's lines (4 % of an iteration of CG, H100).
template <class T, class F>
__device__ void for_packs(Size n, bool descends, F&& f) {
    constexpr int size = Pack<T>::size;
    const Size n_packs = (n + size - 1) / size;
    const Size n_groups = (n_packs + vector_threads - 1) / vector_threads;
    for (Size base = Size{blockIdx.x} * packs_per_thread; base < n_groups; base += Size{gridDim.x} * packs_per_thread) {
#pragma unroll
        for (int k = 0; k < packs_per_thread; ++k) {
            const Size group = descends ? n_groups - 1 - (base + k) : base + k;
            const Size pack = group * vector_threads + threadIdx.x;
            if (group >= 0 && pack < n_packs) f(pack * size, pack * size + size <= n);
        }
    }
}

/// Loads and stores a pack at a multiple of its size; the partial one at the end of a vector element by element.
template <class T>
__device__ Pack<T> load_pack(const T* v, Size first, bool whole, Size n) {
    if (whole) return *reinterpret_cast<const Pack<T>*>(v + first);
    Pack<T> pack{};
    for (int k = 0; k < Pack<T>::size; ++k) {
        if (first + k < n) pack.value[k] = v[first + k];
    }
    return pack;
}

/// The same for what is not needed again soon: it makes room in the cache for what is.
template <class T>
__device__ Pack<T> load_pack_once(const T* v, Size first, bool whole, Size n) {
    if (!whole) return load_pack(v, first, whole, n);
    const uint4 raw = __ldcs(reinterpret_cast<const uint4*>(v + first));
    Pack<T> pack;
    memcpy(&pack, &raw, sizeof pack);
    return pack;
}

template <class T>
__device__ void store_pack(T* v, Size first, bool whole, Size n, const Pack<T>& pack) {
    if (whole) {
        *reinterpret_cast<Pack<T>*>(v + first) = pack;
        return;
    }
    for (int k = 0; k < Pack<T>::size; ++k) {
        if (first + k < n) v[first + k] = pack.value[k];
    }
}

template <class T>
__device__ void store_pack_once(T* v, Size first, bool whole, Size n, const Pack<T>& pack) {
    if (!whole) return store_pack(v, first, whole, n, pack);
    uint4 raw;
    memcpy(&raw, &pack, sizeof raw);
    __stcs(reinterpret_cast<uint4*>(v + first), raw);
}

}  // namespace stiefel
