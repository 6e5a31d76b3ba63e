#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

namespace stiefel {

/// How far from the diagonal the stored entries reach.
struct BandInfo {
    Index lower = 0;   ///< max i - j over stored a_ij, at least 0; the bandwidth of a symmetric matrix
    Index upper = 0;   ///< max j - i over stored a_ij, at least 0
    Size profile = 0;  ///< sum_i (i - first stored column of row i, if left of i): entries of the lower envelope
};

/// Reads the first and last column of every row, in parallel.
template <class T>
BandInfo analyse_band(OpenMP&, const HostCsr<T>& a);

}  // namespace stiefel
