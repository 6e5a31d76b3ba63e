#pragma once

#include "stiefel/core/types.hpp"

#include <span>
#include <string_view>

namespace stiefel::cholesky {

/// The dense kernels of a supernode, compiled for one instruction set. Matrices lie column after column; `ld` is the
/// distance of columns and a multiple of `padding` bytes, columns begin at multiples of 64 bytes, and rows are worked
/// on in whole registers, so rows up to the next multiple of 64 bytes are there and finite; what they hold means
/// nothing.
template <class T>
struct BlockKernels {
    std::string_view instructions;  ///< "avx512", ...
    Index strip = 0;                ///< rows that update() and solve_rows() take best at once

    /// C -= A B', C rows x columns, A rows x k, B columns x k.
    void (*update)(Index rows, Index columns, Index k, const T* a, Size lda, const T* b, Size ldb, T* c, Size ldc);

    /// L of A = L L' over the lower triangle of A, w x w; its diagonal holds 1 / l_jj. Returns the first column whose
    /// pivot is not above least[column], w if there is none.
    Index (*factor)(Index w, T* a, Size ld, const T* least);

    /// X becomes X L^-T, X rows x w, L as factor() leaves it.
    void (*solve_rows)(Index rows, Index w, const T* l, Size ldl, T* x, Size ldx);

    /// x1 becomes L1^-1 x1, then x2 -= L2 x1: w elements and `rows`, both up to whole registers.
    void (*forward)(Index w, Index rows, const T* l1, Size ld1, const T* l2, Size ld2, T* x1, T* x2);

    /// x1 becomes L1^-T (x1 - L2' x2).
    void (*backward)(Index w, Index rows, const T* l1, Size ld1, const T* l2, Size ld2, T* x1, const T* x2);
};

/// For the best instruction set of this machine.
template <class T>
const BlockKernels<T>& block_kernels();

/// All that this machine can run, the best last.
template <class T>
std::span<const BlockKernels<T>> runnable_block_kernels();

// One per file, each compiled for its instruction set; to be used only where the processor has it.
extern const BlockKernels<double> baseline_double, avx2_double, avx512_double;
extern const BlockKernels<float> baseline_float, avx2_float, avx512_float;

/// Elements in 64 bytes: rows are padded to a multiple of it.
template <class T>
inline constexpr Index lanes_of_line = 64 / static_cast<Index>(sizeof(T));

template <class T>
constexpr Size padded(Size rows) {
    return (rows + lanes_of_line<T> - 1) / lanes_of_line<T> * lanes_of_line<T>;
}

/// Distance of columns of so many rows: columns 4096 bytes apart would fall on the same lines of a cache.
template <class T>
constexpr Size leading_dimension(Size rows) {
    const Size ld = padded<T>(rows);
    return ld > 0 && ld * static_cast<Size>(sizeof(T)) % 2048 == 0 ? ld + lanes_of_line<T> : ld;
}

}  // namespace stiefel::cholesky
