#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/problems/row_source.hpp"
#include "stiefel/spmv/csr.hpp"

namespace stiefel {

/// -Laplace(u) on a box with zero Dirichlet conditions, second-order differences on a uniform grid, times h^2: the
/// diagonal is 2 d and the neighbours along the d axes are -1. Points are numbered with x running fastest.
/// Symmetric positive definite, eigenvalues the sums over the axes of 4 sin^2(pi k / (2 (n + 1))), k = 1..n.
/// Throw InvalidArgument if a size is less than 1 or the number of points exceeds an Index.
template <class T>
HostCsr<T> poisson1d(OpenMP&, Index nx);
template <class T>
HostCsr<T> poisson2d(OpenMP&, Index nx, Index ny);
template <class T>
HostCsr<T> poisson3d(OpenMP&, Index nx, Index ny, Index nz);

/// The same, of any rows: more in all than an Index counts.
RowSource poisson1d_source(Index nx);
RowSource poisson2d_source(Index nx, Index ny);
RowSource poisson3d_source(Index nx, Index ny, Index nz);

}  // namespace stiefel
