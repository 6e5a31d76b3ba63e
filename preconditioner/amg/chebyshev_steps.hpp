#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/preconditioner/amg/short_values.hpp"
#include "stiefel/preconditioner/amg/two_steps.hpp"
#include "stiefel/spmv/compressed_sell.hpp"

namespace stiefel::amg {

// Both steps with one pass over the vectors for each product instead of two or three: a row goes on with its product
// while it is in a register. The bits do not depend on the threads. in_short: A's values, where they are to be read in
// 16 bits; else empty.

/// Both from x = 0, and what is left of r; d is the second. `other` is lost.                   2 A and 7 n S bytes
template <class S>
void begin_chebyshev(OpenMP&, const CompressedSell<S>& a, const ShortValues<OpenMP>& in_short, const TwoSteps<S>& steps,
                     S* r, S* d, S* x, S* other);

/// x += e,  r -= A e,  and then both steps, but for the last product; r and d are lost.       2 A and 10 n S bytes
template <class S>
void end_chebyshev(OpenMP&, const CompressedSell<S>& a, const ShortValues<OpenMP>& in_short, const TwoSteps<S>& steps,
                   S* r, S* d, S* x, const S* e);

}  // namespace stiefel::amg
