#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/problems/row_source.hpp"
#include "stiefel/spmv/csr.hpp"

namespace stiefel {

/// The 27-point operator on a box that HPCG solves with (Dongarra, Heroux and Luszczek 2016): 26 on the diagonal, -1
/// for each of the up to 26 neighbours in the surrounding cube. Symmetric positive definite (weakly dominant inside,
/// strictly at the faces).
/// Throws InvalidArgument if a size is less than 1 or the number of points exceeds an Index.
template <class T>
HostCsr<T> stencil27(OpenMP&, Index nx, Index ny, Index nz);

/// The same, of any rows: more in all than an Index counts.
RowSource stencil27_source(Index nx, Index ny, Index nz);

}  // namespace stiefel
