#pragma once

#include "stiefel/core/types.hpp"

#include <span>
#include <string_view>

namespace stiefel {

/// The one part of a packed GEMM that depends on the instruction set: it multiplies panels that fill the registers with
/// a tile of C, mr x nr.
template <class T>
struct MicroKernel {
    std::string_view instructions;  ///< "avx512", ...
    Index mr = 0;
    Index nr = 0;

    /// C = alpha A B + beta C for an mr x nr tile of C, leading dimension ldc. A: k columns of mr, B: k rows of nr,
    /// both packed. beta = 0 never reads C.
    void (*multiply)(Size k, const T* a, const T* b, T alpha, T beta, T* c, Size ldc) = nullptr;

    /// Packs a panel: `width` lines of k elements, the lines width_stride and their elements k_stride apart, become k
    /// groups of mr (pack_a) or nr (pack_b). Groups are filled up with zeros.
    void (*pack_a)(Size width, Size k, const T* from, Size width_stride, Size k_stride, T* to) = nullptr;
    void (*pack_b)(Size width, Size k, const T* from, Size width_stride, Size k_stride, T* to) = nullptr;
};

/// The micro-kernels that this machine can run, the fastest last. Never empty.
template <class T>
std::span<const MicroKernel<T>> micro_kernels();

// One per file, each compiled for its instruction set; to be used only where the processor has it.
extern const MicroKernel<double> baseline_double, avx2_double, avx512_double;
extern const MicroKernel<float> baseline_float, avx2_float, avx512_float;

}  // namespace stiefel
