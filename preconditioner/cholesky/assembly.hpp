#pragma once

#include "stiefel/preconditioner/cholesky/block_factor.hpp"
#include "stiefel/preconditioner/cholesky/symbolic.hpp"
#include "stiefel/spmv/csr.hpp"

namespace stiefel::cholesky {

/// Fills a supernode's columns with those of A and zeros, and what it passes on with zeros.
/// diagonal_factor: of A's diagonal; local: room for an Index for each row of A.
template <class T>
void begin_front(const HostCsr<T>& a, const Symbolic& symbolic, Index s, T diagonal_factor, Index* local,
                 const Front<T>& front);

/// Adds what a child passes on, `rest` with distance ld of columns, where it stands in the parent's front. Columns are
/// shared by so many threads.
template <class T>
void add_child(const Symbolic& symbolic, Index child, const T* rest, Size ld, int threads, const Front<T>& parent);

}  // namespace stiefel::cholesky
