#pragma once

#include "stiefel/preconditioner/triangular/cuda/not_ready.hpp"

namespace stiefel::triangular {

// Numbers that say themselves whether they have been computed. An aligned access of 4 or 8 bytes is one, and nothing
// else hangs on what it brings, so neither flags nor fences are needed; the loads come from the cache that all
// multiprocessors share.

__device__ inline std::uint64_t bits_now(const double* p) {
    std::uint64_t bits;
    asm volatile("ld.relaxed.gpu.global.b64 %0, [%1];" : "=l"(bits) : "l"(p) : "memory");
    return bits;
}
__device__ inline std::uint32_t bits_now(const float* p) {
    std::uint32_t bits;
    asm volatile("ld.relaxed.gpu.global.b32 %0, [%1];" : "=r"(bits) : "l"(p) : "memory");
    return bits;
}

__device__ inline void store_bits(double* p, std::uint64_t bits) {
    asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" ::"l"(p), "l"(bits) : "memory");
}
__device__ inline void store_bits(float* p, std::uint32_t bits) {
    asm volatile("st.relaxed.gpu.global.b32 [%0], %1;" ::"l"(p), "r"(bits) : "memory");
}

__device__ inline std::uint64_t bits_of(double value) {
    return static_cast<std::uint64_t>(__double_as_longlong(value));
}
__device__ inline std::uint32_t bits_of(float value) {
    return __float_as_uint(value);
}

__device__ inline double number_of(std::uint64_t bits) {
    return __longlong_as_double(static_cast<long long>(bits));
}
__device__ inline float number_of(std::uint32_t bits) {
    return __uint_as_float(bits);
}

/// From now on p holds the value. A NaN that looks like `not ready` becomes another, so that those who wait go on.
template <class T>
__device__ void publish(T* p, T value) {
    const BitsOf<T> bits = bits_of(value);
    store_bits(p, bits == not_ready<T> ? bits >> 1 : bits);
}

/// Waits until p holds a value. For one that is still far off: a pause between looks.
template <class T>
__device__ void await_far_value(const T* p) {
    while (bits_now(p) == not_ready<T>) __nanosleep(64);
}

}  // namespace stiefel::triangular
