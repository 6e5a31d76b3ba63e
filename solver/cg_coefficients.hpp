#pragma once

#include "stiefel/core/types.hpp"

namespace stiefel {

/// What one iteration of CG leaves of the tridiagonal matrix that Lanczos would have made: see ritz_extremes().
struct CgCoefficients {
    double alpha = 0;  ///< rho / <p, A p>
    double beta = 0;   ///< the next rho / rho
};

/// Iterations of a run whose coefficients are kept, the last ones, in a ring: 2 MiB. A power of two.
inline constexpr Size cg_coefficient_ring = Size{1} << 17;

/// Where those of an iteration lie.
constexpr Size cg_coefficient_place(Size iteration) {
    return iteration % cg_coefficient_ring;
}

}  // namespace stiefel
