#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/preconditioner/amg/cuda/rows_of_level.hpp"
#include "stiefel/preconditioner/amg/two_steps.hpp"
#include "stiefel/preconditioner/amg/way_out.hpp"

namespace stiefel::amg {

// The products of chebyshev_steps.hpp, by own columns, each with what goes on with a row while it is in a register.

/// Both steps from x = 0 but for the last product: r - A first r is left, d is the second step.
template <class S>
void begin_from_right_hand_side(Cuda&, const RowsOfLevel<S>& a, const TwoSteps<S>& steps, const S* r, S* left, S* d,
                                S* x);

/// to = from - A v
template <class S>
void subtract_product(Cuda&, const RowsOfLevel<S>& a, const S* from, const S* v, S* to);

/// Both steps after a correction e, from what it left of r.
template <class S>
void end_from_correction(Cuda&, const RowsOfLevel<S>& a, const TwoSteps<S>& steps, const S* r, const S* e, S* x);

/// The same, and out.
template <class S, class T>
void leave_from_correction(Cuda&, const RowsOfLevel<S>& a, const TwoSteps<S>& steps, const S* r, const S* x, const S* e,
                           const WayOut<T>& out);

}  // namespace stiefel::amg
