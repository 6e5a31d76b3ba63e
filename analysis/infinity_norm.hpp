#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"
#include "stiefel/world/world_matrix.hpp"

namespace stiefel {

/// max_i sum_j |a_ij|, the norm |A| of the infinity norm, for symmetric A of the 1-norm too, and no smaller than the
/// 2-norm: at most sqrt(longest row) times it. One pass over the values, in parallel; sums in double, the same with
/// any number of threads. NaN if an entry is.
template <class T>
double infinity_norm(OpenMP&, const HostCsr<T>& a);
/// Of the rows of one rank.
double infinity_norm(OpenMP&, const WorldRows<double>& a);

}  // namespace stiefel
