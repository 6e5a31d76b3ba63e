#pragma once

namespace stiefel::amg {

// What is rounded changes A by E, and A's smallest eigenvalues are lost in it. Trials measure <x, A x> / <x, x> for an
// x that is large in their directions (CycleLevels::try_out). Of 5- and 7-point stencils with 10^6 and 5 10^5 rows of
// uneven couplings, and diagonals so that q is the least eigenvalue (2026-11-28), 16 bits took as many iterations as 32
// down to a q of 1e-7, one more at 1e-8 and twice as many at 1e-10; single precision as many as double down to 1e-10,
// up to half as many again at 1e-11, and was not positive definite at 1e-12 or at 0.

/// The least with which values are smoothed in 16 bits.
inline constexpr double least_in_short = 1e-7;
/// The least with which levels are kept in single precision.
inline constexpr double least_in_single = 1e-10;

/// What a trial of a precision adds up.
struct TrialSums {
    double energy = 0;  ///< <x, A x>
    double square = 0;  ///< <x, x>

    double quotient() const { return square == 0 ? 1 : energy / square; }
};

}  // namespace stiefel::amg
