#pragma once

#include "stiefel/dense/packed/micro_kernel.hpp"

#include <utility>

// The text of all micro-kernels, in GCC's vector extensions. Included by the files that are compiled for one
// instruction set each. All of it belongs to the file that includes it (the namespace without a name): were two files
// to define one function, the linker would keep either, and a machine might meet instructions that it lacks.

namespace stiefel::packed {

namespace {

/// L elements of T in one register.
template <class T, int L>
struct SimdOf {
    typedef T type __attribute__((vector_size(L * sizeof(T))));
};
template <class T, int L>
using Simd = typename SimdOf<T, L>::type;

template <class V, class T>
V load(const T* from) {
    V v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}

template <class V, class T>
void store(const V& v, T* to) {
    __builtin_memcpy(to, &v, sizeof v);
}

/// Tile of mr rows and V registers of L elements a row. All mr V sums stay in registers: a step loads V registers of B
/// and broadcasts mr elements of A, so loads per multiply-add are (mr + V) / (mr V).
template <class T, int L, int mr, int V>
void multiply(Size k, const T* a, const T* b, T alpha, T beta, T* c, Size ldc) {
    using Register = Simd<T, L>;
#pragma GCC unroll 32
    for (int i = 0; i < mr; ++i) {
        __builtin_prefetch(c + i * ldc, 1);
        __builtin_prefetch(c + i * ldc + L * V - 1, 1);
    }
    Register sum[mr][V] = {};
    for (Size p = 0; p < k; ++p) {
        Register row[V];
#pragma GCC unroll 8
        for (int v = 0; v < V; ++v) row[v] = load<Register>(b + v * L);
#pragma GCC unroll 32
        for (int i = 0; i < mr; ++i) {
            const Register factor = a[i] - Register{};
#pragma GCC unroll 8
            for (int v = 0; v < V; ++v) sum[i][v] += factor * row[v];
        }
        a += mr;
        b += V * L;
    }
#pragma GCC unroll 32
    for (int i = 0; i < mr; ++i) {
#pragma GCC unroll 8
        for (int v = 0; v < V; ++v) {
            T* const place = c + i * ldc + v * L;
            Register result = alpha * sum[i][v];
            if (beta != T{0}) result += beta * load<Register>(place);
            store(result, place);
        }
    }
}

/// Transposes L registers of L elements by interleaving halves log2(L) times.
template <class T, int L>
void transpose(Simd<T, L> (&rows)[L]) {
    const auto interleave = [&]<int... i>(std::integer_sequence<int, i...>) {
        Simd<T, L> out[L];
#pragma GCC unroll 16
        for (int r = 0; r < L / 2; ++r) {
            out[2 * r] = __builtin_shufflevector(rows[r], rows[r + L / 2], (i / 2 + (i % 2) * L)...);
            out[2 * r + 1] = __builtin_shufflevector(rows[r], rows[r + L / 2], (L / 2 + i / 2 + (i % 2) * L)...);
        }
#pragma GCC unroll 16
        for (int r = 0; r < L; ++r) rows[r] = out[r];
    };
#pragma GCC unroll 8
    for (int step = L; step > 1; step /= 2) interleave(std::make_integer_sequence<int, L>{});
}

/// See MicroKernel::pack_a. L divides the panel's full width: lines that lie contiguous are transposed L x L in
/// registers.
template <class T, int full_width, int L>
void pack(Size width, Size k, const T* from, Size width_stride, Size k_stride, T* to) {
    Size p = 0;
    if (width == full_width && width_stride == 1) {
        for (; p < k; ++p) __builtin_memcpy(to + p * full_width, from + p * k_stride, full_width * sizeof(T));
    } else if (width == full_width && k_stride == 1) {
        for (; p + L <= k; p += L) {
            for (int line = 0; line < full_width; line += L) {
                Simd<T, L> block[L];
#pragma GCC unroll 16
                for (int i = 0; i < L; ++i) block[i] = load<Simd<T, L>>(from + (line + i) * width_stride + p);
                transpose<T, L>(block);
#pragma GCC unroll 16
                for (int i = 0; i < L; ++i) store(block[i], to + (p + i) * full_width + line);
            }
        }
    }
    for (; p < k; ++p) {
        for (Size line = 0; line < full_width; ++line) {
            to[p * full_width + line] = line < width ? from[line * width_stride + p * k_stride] : T{0};
        }
    }
}

template <class T, int L, int mr, int V, int transposed>
constexpr MicroKernel<T> micro_kernel(std::string_view instructions) {
    return {instructions, mr, V * L, multiply<T, L, mr, V>, pack<T, mr, transposed>, pack<T, V * L, transposed>};
}

}  // namespace

}  // namespace stiefel::packed
