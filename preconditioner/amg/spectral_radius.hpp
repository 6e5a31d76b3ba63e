#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

namespace stiefel::amg {

/// An upper bound for the spectrum of D^-1 A, D the diagonal of A: the largest sum of absolutes of a row (Gershgorin)
/// where that is about 2, as it is for discretised scalar equations; else, if less, the largest Ritz value of twelve
/// steps of Lanczos and a tenth.                                                 1 to 13 products with A
double spectral_radius(OpenMP&, const HostCsr<double>& a, const HostVector<double>& diagonal);

}  // namespace stiefel::amg
