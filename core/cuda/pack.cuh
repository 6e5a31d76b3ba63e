#pragma once

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

/// Blocks that fill the device with eight blocks a multiprocessor, or fewer if n needs no more.
template <class T>
int vector_grid(const Cuda& backend, Size n) {
    const Size packs = (n + Pack<T>::size - 1) / Pack<T>::size;
    const Size blocks = (packs + vector_threads - 1) / vector_threads;
    return static_cast<int>(std::clamp<Size>(blocks, 1, Size{8} * backend.device().multiprocessors));
}

/// Runs f(first, count) over 0..n in packs: count is a constant Pack<T>::size for all but the last, partial one.
/// Descending kernels begin at the end: what the kernel before touched last is in the cache still.
template <class T, bool descending, class F>
__device__ void for_packs(Size n, F&& f) {
    constexpr int size = Pack<T>::size;
    const Size n_packs = (n + size - 1) / size;
    for (Size i = Size{blockIdx.x} * blockDim.x + threadIdx.x; i < n_packs; i += Size{gridDim.x} * blockDim.x) {
        const Size pack = descending ? n_packs - 1 - i : i;
        f(pack * size, pack * size + size <= n);
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

}  // namespace stiefel
