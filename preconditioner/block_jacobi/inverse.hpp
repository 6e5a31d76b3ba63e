#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/preconditioner/block_jacobi/blocks.hpp"
#include "stiefel/spmv/csr.hpp"

namespace stiefel::block_jacobi {

/// Diagonal blocks of S = D^-1/2 A D^-1/2 inverted, D the diagonal of A.
struct Inverse {
    HostCsr<double> m;        ///< all entries of all blocks
    Index jacobi_blocks = 0;  ///< that are not positive definite: they are the identity here
};

/// By Cholesky factorisations in double precision, eight blocks side by side; the bits do not depend on the number of
/// threads, and m is symmetric to the last one. inverse_roots: of D. least_pivot: below it a block counts as not
/// positive definite. Throws OutOfMemory where m, and what multiplies by it, have no room.
template <class T>
Inverse inverse(OpenMP&, const HostCsr<T>& a, const HostVector<double>& inverse_roots, const Blocks&,
                double least_pivot);

}  // namespace stiefel::block_jacobi
