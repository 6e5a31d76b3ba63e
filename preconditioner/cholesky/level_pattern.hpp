#pragma once

#include "stiefel/spmv/csr.hpp"

namespace stiefel::cholesky {

/// The upper triangle of A with zeros where the factor has fill of a level up to this one. Entry (i, j), j < i, has as
/// level the fewest rows before j on a path from i to j in A's graph, 0 for entries of A itself (Rose and Tarjan 1978;
/// Hysom and Pothen 2002), which is what adding up the levels of what makes an entry comes to (Saad 2003, section
/// 10.3.3). So each row is found by itself, breadth first.
/// a: square, symmetric, with its whole diagonal. Throws OutOfMemory as soon as so many entries are found that the
/// result and a factor of as many would take more than the bytes that are available.
template <class T>
HostCsr<T> with_fill(const HostCsr<T>& a, Size level, Size available);

}  // namespace stiefel::cholesky
