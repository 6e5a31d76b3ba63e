#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

namespace stiefel::amg {

/// The number of unknowns at each node (displacements along x, y, z, say) that the pattern and the signs of a matrix
/// tell of: 2, 3 or 6 where rows come in groups that are coupled to the same nodes and a good part of the couplings is
/// positive, as it never is in a discretised scalar equation; else 1.                                       O(nnz)
Index find_components(OpenMP&, const HostCsr<double>& a);

}  // namespace stiefel::amg
