#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/preconditioner/amg/two_steps.hpp"
#include "stiefel/spmv/operator.hpp"

namespace stiefel::amg {

// Both steps with one pass over the vectors for each product, as on all cores (preconditioner/amg/chebyshev_steps.hpp):
// of SELL, and of CSR whose rows lanes share. False, and nothing was done, where the matrix is kept in another way.
// diagonals: of the slices of SELL (slice_diagonals.hpp), or empty.

/// Both from x = 0, and what is left of r; d is the second. `other` is lost.                   2 A and 7 n S bytes
template <class S>
bool begin_chebyshev(Cuda&, const SpmvOperator<Cuda, S>& a, const DeviceVector<Index>& diagonals,
                     const TwoSteps<S>& steps, S* r, S* d, S* x, S* other);

/// x += e,  r -= A e,  and then both steps, but for the last product; r is lost.               2 A and 7 n S bytes
template <class S>
bool end_chebyshev(Cuda&, const SpmvOperator<Cuda, S>& a, const DeviceVector<Index>& diagonals,
                   const TwoSteps<S>& steps, S* r, S* x, const S* e);

}  // namespace stiefel::amg
