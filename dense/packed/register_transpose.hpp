#pragma once

#include "stiefel/dense/host/register_tile.hpp"
#include "stiefel/dense/packed/micro_kernel_code.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// The text of all register tiles; see micro_kernel_code.hpp for how it is compiled.

namespace stiefel::packed {

namespace {

/// Stores a register around the caches, where the processor can.
template <class V, class T>
void stream(const V& v, T* to) {
#if defined(__x86_64__)
    if constexpr (sizeof(V) == 16) {
        _mm_stream_si128(reinterpret_cast<__m128i*>(to), (__m128i)v);
    } else if constexpr (sizeof(V) == 32) {
        _mm256_stream_si256(reinterpret_cast<__m256i*>(to), (__m256i)v);
    } else if constexpr (sizeof(V) == 64) {
        _mm512_stream_si512(reinterpret_cast<__m512i*>(to), (__m512i)v);
    } else {
        store(v, to);
    }
#else
    store(v, to);
#endif
}

/// L x L subtiles, those of one row of `to` in a row, so that its cache line is complete at once.
template <class T, int L, bool streaming>
void transpose_tile(const T* from, Size ld_from, T* to, Size ld_to) {
    constexpr int edge = 64 / static_cast<int>(sizeof(T));
    for (int j = 0; j < edge; j += L) {
        Simd<T, L> out[edge / L][L];
#pragma GCC unroll 8
        for (int i = 0; i < edge / L; ++i) {
#pragma GCC unroll 16
            for (int r = 0; r < L; ++r) out[i][r] = load<Simd<T, L>>(from + (i * L + r) * ld_from + j);
            transpose<T, L>(out[i]);
        }
#pragma GCC unroll 16
        for (int r = 0; r < L; ++r) {
#pragma GCC unroll 8
            for (int i = 0; i < edge / L; ++i) {
                T* const place = to + (j + r) * ld_to + i * L;
                if constexpr (streaming) {
                    stream(out[i][r], place);
                } else {
                    store(out[i][r], place);
                }
            }
        }
    }
}

template <class T, int L>
constexpr RegisterTile<T> tile() {
    return {.transpose = [](const T* from, Size ld_from, T* to, Size ld_to, bool streaming) {
        streaming ? transpose_tile<T, L, true>(from, ld_from, to, ld_to)
                  : transpose_tile<T, L, false>(from, ld_from, to, ld_to);
    }};
}

}  // namespace

}  // namespace stiefel::packed
