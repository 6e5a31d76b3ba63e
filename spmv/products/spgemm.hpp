#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

namespace stiefel {

/// C = A B for sparse A: m x p and B: p x n, row by row (Gustavson 1978). Entries that come out as zero are kept, so
/// that the pattern of C depends on those of A and B alone; the terms of an entry are added in the order of A's row, so
/// that the bits do not depend on the number of threads.
/// Throws InvalidArgument if the sizes do not fit. Memory: C, for a moment twice, and n Index for every thread.
template <class T>
HostCsr<T> spgemm(OpenMP&, const HostCsr<T>& a, const HostCsr<T>& b);

/// A', n x m for A: m x n.                                            2 nnz (T + Index) bytes and a counter a column
template <class T>
HostCsr<T> transpose(OpenMP&, const HostCsr<T>& a);

}  // namespace stiefel
