#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

#include <functional>

namespace stiefel::amg {

class Ghosts;

/// An upper bound for the spectrum of D^-1 A, D the diagonal of A: the largest sum of absolutes of a row (Gershgorin)
/// where that is about 2, as it is for discretised scalar equations; else, if less, the largest Ritz value of twelve
/// steps of Lanczos and a tenth. Of a matrix whose rows lie with several ranks, that the backend has joined, all find
/// the same; ghosts are of its columns beyond the rows.                          1 to 13 products with A
double spectral_radius(OpenMP&, const HostCsr<double>& a, const HostVector<double>& diagonal, Ghosts* ghosts = nullptr);

/// The same, where others find that Ritz value, if it is needed.
double spectral_radius(OpenMP&, const HostCsr<double>& a, const HostVector<double>& diagonal,
                       const std::function<double()>& ritz_value);

/// Of D^-1/2 A D^-1/2, by twelve products with A (ritz_value.hpp).
double largest_ritz_value(OpenMP&, const HostCsr<double>& a, const HostVector<double>& diagonal,
                          Ghosts* ghosts = nullptr);

}  // namespace stiefel::amg
