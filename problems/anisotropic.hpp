#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/problems/row_source.hpp"
#include "stiefel/spmv/csr.hpp"

namespace stiefel {

/// -u_xx - epsilon u_yy on a rectangle with zero Dirichlet conditions, 5-point differences times h^2: the diagonal is
/// 2 + 2 epsilon, neighbours along x are -1 and along y -epsilon. The smaller epsilon, the weaker the rows (which
/// run along x) hold together: the classical hard case for point smoothers. Symmetric positive definite.
/// Throws InvalidArgument if a size is less than 1, epsilon is not positive, or the points exceed an Index.
template <class T>
HostCsr<T> anisotropic2d(OpenMP&, Index nx, Index ny, double epsilon);

/// The same, of any rows: more in all than an Index counts.
RowSource anisotropic2d_source(Index nx, Index ny, double epsilon);

}  // namespace stiefel
