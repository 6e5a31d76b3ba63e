#pragma once

#include "stiefel/preconditioner/amg/aggregates.hpp"

#include <limits>

namespace stiefel::amg {

/// Couplings that are not strong are followed from this share of the diagonal on.
inline constexpr double least_followed = 0.05;

/// That share for a level of so many rows; infinity where strong couplings alone are to be followed. On levels of less
/// than a two hundredth of the finest's rows this takes no iteration (jump_diffusion3d 100^3, bricks of 4 to 25 cells),
/// but time: a piece of the large coefficient is a node there that many depend on, and its rows become long.
inline double least_followed_of(Size rows, Size finest_rows) {
    return 200 * rows >= finest_rows ? least_followed : std::numeric_limits<double>::infinity();
}

/// Smoothed aggregation (Vanek, Mandel and Brezina 1996):  P = (I - omega D_F^-1 A_F) T.  Column c of T is one on the
/// unknowns of aggregate c, so that constants are kept. A_F is A without the couplings that are left out, which are
/// added to the diagonal D_F: coarse matrices stay sparse where directions decouple. omega = 4/3 / rho(D_F^-1 A_F) by a
/// bound for rho, of all ranks if the backend has joined some. Returns n x aggregates; of_node must name one for each
/// column of A.
///
/// Row i follows the couplings that are strong, and those that it depends on as classical interpolation would have it:
/// |a_ij| >= theta max_k |a_ik|, but no less than `least` times a_ii, so that a row that is coupled to all does not
/// reach them all. Beside a jump of the coefficient the two differ: what is on the side of the small coefficient
/// depends on the other side, which hardly feels it. Were it interpolated from its own side alone, the coarse matrix
/// would take far too much energy for a difference between the sides, level after level the more: with 100 times the
/// coefficient as much as for differences within them.
HostCsr<double> smoothed_prolongation(OpenMP&, const HostCsr<double>& a, const Strength& is_strong, const Aggregates&,
                                      double least = least_followed);

}  // namespace stiefel::amg
