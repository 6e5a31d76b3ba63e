#pragma once

#include "stiefel/preconditioner/cholesky/block_kernels.hpp"

namespace stiefel::cholesky {

/// The columns of a supernode of L, or those of A that they come from, and what they take from columns to the right.
template <class T>
struct Front {
    Index width = 0;   ///< columns
    Index height = 0;  ///< rows below their own
    T* l1 = nullptr;   ///< width x width, lower triangle
    Size ld1 = 0;
    T* l2 = nullptr;  ///< height x width
    Size ld2 = 0;
    T* rest = nullptr;  ///< height x height, lower triangle, distance of columns ld2: what is passed on to the parent
};

/// L1 L1' = A1, L2 = A2 L1^-T, rest -= L2 L2', in steps that stay in the first caches. Strips of rows are shared by so
/// many threads; the bits do not depend on how many. Returns the first column whose pivot is not above least[column],
/// width if there is none.                                              w^3 / 3 + w^2 h + w h^2 flops
template <class T>
Index factor_front(int threads, const Front<T>& front, const T* least);

}  // namespace stiefel::cholesky
