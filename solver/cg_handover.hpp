#pragma once

#include "stiefel/core/backend.hpp"

namespace stiefel {

/// What a run of CG that another goes on from (CgOptions::is_followed) leaves to that, beside x: its residual, so that
/// nobody need multiply with A and wait for a norm between the two. It is that of the recurrence, which after some
/// iterations differs from b - A x by rounding; how the second run ends is decided by b - A x all the same.
template <class B, class T>
struct CgHandover {
    VectorOf<B, T> r = {};     ///< empty: nothing was left
    double residual_norm = 0;  ///< of r
};

}  // namespace stiefel
