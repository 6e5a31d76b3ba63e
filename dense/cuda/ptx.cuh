#pragma once

#include "stiefel/core/cuda/check.hpp"

// The instructions of the matrix kernels that CUDA C++ has no names for.

namespace stiefel::cuda {

/// Starts copying 16 bytes from global to shared memory; bytes beyond the first `bytes` become zero and are not read.
__device__ inline void copy_async(void* to, const void* from, int bytes) {
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(bytes) : "memory");
}
__device__ inline void copy_async(void* to, const void* from) {
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
}

/// The same for 8 bytes, which pass through the first-level cache.
__device__ inline void copy_word_async(void* to, const void* from) {
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(address), "l"(from) : "memory");
}

/// Closes the group of copies started since the last call.
__device__ inline void commit_copies() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/// Waits until at most `pending` of this thread's groups are unfinished.
template <int pending>
__device__ void wait_copies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

// Stores that happen if `inside`, without a branch: a thread that branches around a store waits for it to have left,
// where others take up the memory for as long as a load.
__device__ inline void store_if(bool inside, double* to, double value) {
    asm volatile("{.reg .pred p; setp.ne.u32 p, %0, 0; @p st.global.f64 [%1], %2;}" ::"r"(unsigned{inside}),
                 "l"(__cvta_generic_to_global(to)), "d"(value)
                 : "memory");
}
__device__ inline void store_if(bool inside, float* to, float value) {
    asm volatile("{.reg .pred p; setp.ne.u32 p, %0, 0; @p st.global.f32 [%1], %2;}" ::"r"(unsigned{inside}),
                 "l"(__cvta_generic_to_global(to)), "f"(value)
                 : "memory");
}
/// Two neighbours, aligned as a pair.
__device__ inline void store_if(bool inside, double* to, double first, double second) {
    asm volatile("{.reg .pred p; setp.ne.u32 p, %0, 0; @p st.global.v2.f64 [%1], {%2, %3};}" ::"r"(unsigned{inside}),
                 "l"(__cvta_generic_to_global(to)), "d"(first), "d"(second)
                 : "memory");
}
__device__ inline void store_if(bool inside, float* to, float first, float second) {
    asm volatile("{.reg .pred p; setp.ne.u32 p, %0, 0; @p st.global.v2.f32 [%1], {%2, %3};}" ::"r"(unsigned{inside}),
                 "l"(__cvta_generic_to_global(to)), "f"(first), "f"(second)
                 : "memory");
}

/// Four 8 x 4 matrices of 4-byte elements: lane i names row i % 8 of matrix i / 8 and gets element (g, t) of each, with
/// g = lane / 4 and t = lane % 4. As a 16 x 8 operand: upper left, lower left, upper right, lower right.
__device__ inline void load_matrices(float (&out)[4], const void* row) {
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(row));
    unsigned words[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(address)
                 : "memory");
#pragma unroll
    for (int i = 0; i < 4; ++i) out[i] = __uint_as_float(words[i]);
}

// A warp's product of a 16 x 8 and an 8 x 8 tile onto a 16 x 8 one. With g = lane / 4 and t = lane % 4 a lane holds
//   a: (g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4)    b: (t, g), (t + 4, g)
//   c: (g, 2 t), (g, 2 t + 1), (g + 8, 2 t), (g + 8, 2 t + 1)

/// 8 x 4 times 4 x 8: a (g, t), b (t, g), c (g, 2 t), (g, 2 t + 1).
__device__ inline void multiply_8x8x4(double (&c)[2], double a, double b) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(c[0]), "+d"(c[1])
                 : "d"(a), "d"(b));
}

__device__ inline void multiply_16x8x8(double (&c)[4], const double (&a)[4], const double (&b)[2]) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
    double upper[2] = {c[0], c[1]};
    double lower[2] = {c[2], c[3]};
    multiply_8x8x4(upper, a[0], b[0]);
    multiply_8x8x4(lower, a[1], b[0]);
    multiply_8x8x4(upper, a[2], b[1]);
    multiply_8x8x4(lower, a[3], b[1]);
    c[0] = upper[0], c[1] = upper[1], c[2] = lower[0], c[3] = lower[1];
#endif
}

/// The operands are tf32: floats whose last 13 bits the instruction ignores.
__device__ inline void multiply_16x8x8(float (&c)[4], const float (&a)[4], const float (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
          "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}

/// What the matrix units take: a double as it is, a float rounded to the nearest tf32.
__device__ inline double matrix_operand(double x) {
    return x;
}
__device__ inline float matrix_operand(float x) {
    unsigned rounded;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(x));
    return __uint_as_float(rounded);
}

}  // namespace stiefel::cuda
