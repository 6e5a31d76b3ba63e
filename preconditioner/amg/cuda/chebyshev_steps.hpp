#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/preconditioner/amg/slice_diagonals.hpp"
#include "stiefel/preconditioner/amg/two_steps.hpp"
#include "stiefel/spmv/operator.hpp"
#include "stiefel/world/cuda/boundary_rows.hpp"

namespace stiefel::amg {

// Both steps with one pass over the vectors for each product, as on all cores (preconditioner/amg/chebyshev_steps.hpp):
// of SELL, and of CSR whose rows lanes share. diagonals: of the slices of SELL (slice_diagonals.hpp), or empty. beyond:
// what the rows have in columns of other ranks, if anything; steps are linear in a product, so a row is corrected by
// what comes from there when its own columns are done with.

/// Whether the matrix is kept in such a way; the steps below are for no other.
template <class S>
bool fuses_chebyshev(const SpmvOperator<Cuda, S>& a);

/// Both from x = 0, and what is left of r; d is the second. `other` is lost.                   2 A and 7 n S bytes
template <class S>
void begin_chebyshev(Cuda&, const SpmvOperator<Cuda, S>& a, const SliceDiagonals<Cuda>& diagonals,
                     const BoundaryRows<Cuda, S>* beyond, const TwoSteps<S>& steps, S* r, S* d, S* x, S* other);

/// x += e,  r -= A e,  and then both steps, but for the last product; r is lost.               2 A and 7 n S bytes
template <class S>
void end_chebyshev(Cuda&, const SpmvOperator<Cuda, S>& a, const SliceDiagonals<Cuda>& diagonals,
                   const BoundaryRows<Cuda, S>* beyond, const TwoSteps<S>& steps, S* r, S* x, const S* e);

}  // namespace stiefel::amg
