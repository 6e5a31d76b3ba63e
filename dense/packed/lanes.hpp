#pragma once

#include "stiefel/dense/packed/micro_kernel_code.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace stiefel::packed {

namespace {

/// Between registers of L doubles and of L elements of T. GCC's own conversion goes through halves of 64 bytes.
template <class T, int L>
Simd<double, L> widened(const Simd<T, L>& v) {
#if defined(__AVX512F__)
    if constexpr (L == 8 && sizeof(T) == 4) return _mm512_maskz_cvtps_pd(0xff, v);
#endif
    return __builtin_convertvector(v, Simd<double, L>);
}
template <class T, int L>
Simd<T, L> rounded(const Simd<double, L>& v) {
#if defined(__AVX512F__)
    if constexpr (L == 8 && sizeof(T) == 4) return _mm512_maskz_cvtpd_ps(0xff, v);
#endif
    return __builtin_convertvector(v, Simd<T, L>);
}

/// The first `count` of a register's L lanes, for rows that end within a register: memory beyond is neither read nor
/// written, and reads as zero.
template <class T, int L>
class Lanes {
public:
    explicit Lanes(Index count) : count_(count) {}
    Simd<T, L> load(const T* from) const {
        Simd<T, L> v{};
        for (Index lane = 0; lane < count_; ++lane) v[lane] = from[lane];
        return v;
    }
    void store(const Simd<T, L>& v, T* to) const {
        for (Index lane = 0; lane < count_; ++lane) to[lane] = v[lane];
    }

private:
    Index count_;
};

#if defined(__AVX2__)
template <>
class Lanes<double, 4> {
public:
    explicit Lanes(Index count) : mask_((__m256i)(Simd<long long, 4>{0, 1, 2, 3} < static_cast<long long>(count))) {}
    Simd<double, 4> load(const double* from) const { return _mm256_maskload_pd(from, mask_); }
    void store(const Simd<double, 4>& v, double* to) const { _mm256_maskstore_pd(to, mask_, v); }

private:
    __m256i mask_;
};

template <>
class Lanes<float, 4> {
public:
    explicit Lanes(Index count) : mask_((__m128i)(Simd<int, 4>{0, 1, 2, 3} < count)) {}
    Simd<float, 4> load(const float* from) const { return _mm_maskload_ps(from, mask_); }
    void store(const Simd<float, 4>& v, float* to) const { _mm_maskstore_ps(to, mask_, v); }

private:
    __m128i mask_;
};

template <>
class Lanes<float, 8> {
public:
    explicit Lanes(Index count) : mask_((__m256i)(Simd<int, 8>{0, 1, 2, 3, 4, 5, 6, 7} < count)) {}
    Simd<float, 8> load(const float* from) const { return _mm256_maskload_ps(from, mask_); }
    void store(const Simd<float, 8>& v, float* to) const { _mm256_maskstore_ps(to, mask_, v); }

private:
    __m256i mask_;
};
#endif

#if defined(__AVX512F__)
template <>
class Lanes<double, 8> {
public:
    explicit Lanes(Index count) : mask_(static_cast<__mmask8>((1U << count) - 1)) {}
    Simd<double, 8> load(const double* from) const { return _mm512_maskz_loadu_pd(mask_, from); }
    void store(const Simd<double, 8>& v, double* to) const { _mm512_mask_storeu_pd(to, mask_, v); }

private:
    __mmask8 mask_;
};
#endif

}  // namespace

}  // namespace stiefel::packed
