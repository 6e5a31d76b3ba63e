#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/preconditioner/amg/cuda/rows_of_level.hpp"
#include "stiefel/preconditioner/amg/two_steps.hpp"
#include "stiefel/preconditioner/amg/way_out.hpp"
#include "stiefel/world/cuda/boundary_rows.hpp"

namespace stiefel::amg {

// Both steps with one pass over the vectors for each product, as on all cores (preconditioner/amg/chebyshev_steps.hpp):
// of SELL, and of CSR whose rows lanes share. beyond:
// what the rows have in columns of other ranks, if anything; steps are linear in a product, so a row is corrected by
// what comes from there when its own columns are done with.

/// Whether the matrix is kept in such a way; the steps below are for no other.
template <class S>
bool fuses_chebyshev(const SpmvOperator<Cuda, S>& a);

/// Both from x = 0, and what is left of r; d is the second. `other` is lost.                   2 A and 7 n S bytes
template <class S>
void begin_chebyshev(Cuda&, const RowsOfLevel<S>& a, const BoundaryRows<Cuda, S>* beyond, const TwoSteps<S>& steps,
                     S* r, S* d, S* x, S* other);

/// x += e,  r -= A e,  and then both steps, but for the last product; r is lost.               2 A and 7 n S bytes
template <class S>
void end_chebyshev(Cuda&, const RowsOfLevel<S>& a, const BoundaryRows<Cuda, S>* beyond, const TwoSteps<S>& steps, S* r,
                   S* x, const S* e);

/// Whether it pays to leave in the last step, instead of by a pass of its own: where rows are short, as the sum keeps a
/// multiprocessor from as many threads (H200: elasticity3d 40, 81 a row, 1.03 of the time, 5-point 2000^2 0.95).
template <class S>
bool leaves_by_chebyshev(const SpmvOperator<Cuda, S>& a) {
    constexpr Size most_in_row = 32;
    return a.nnz() <= most_in_row * a.n_rows();
}

/// end_chebyshev() where no other rank has columns, and the way out on the way.      2 A, 6 n S and 3 n T bytes
template <class S, class T>
void end_chebyshev(Cuda&, const RowsOfLevel<S>& a, const TwoSteps<S>& steps, S* r, const S* x, const S* e,
                   const WayOut<T>& out);

}  // namespace stiefel::amg
