#pragma once

#include "stiefel/spmv/csr.hpp"

namespace stiefel::amg {

/// The inverse of a small symmetric positive definite matrix as one more sparse matrix, all of whose entries are there,
/// so that the coarsest solve is one more product. By Cholesky factorisation; pivots below 1e-11 times their diagonal
/// count as zero, and so do their rows and columns of the result: a singular matrix (a graph's Laplacian) gets a
/// generalised inverse.                                                                                2 n^3 / 3 ...
HostCsr<double> coarse_inverse(const HostCsr<double>& a);

}  // namespace stiefel::amg
