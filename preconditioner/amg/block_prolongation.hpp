#pragma once

#include "stiefel/preconditioner/amg/block_matrix.hpp"
#include "stiefel/preconditioner/amg/near_null_space.hpp"

namespace stiefel::amg {

/// Smoothed aggregation where nodes have several unknowns, or several modes are to be kept (Vanek, Mandel and Brezina
/// 1996):  P = (I - omega D^-1 A_F) T,  omega = 4/3 / radius. D is the diagonal of A; A_F is A without the blocks that
/// couple nodes weakly, which are added to those of the diagonal, so that translations are taken to what A takes them.
///   radius   bounds the spectrum of D^-1 A
BlockMatrix block_prolongation(OpenMP&, const BlockMatrix& a, const Strength& is_strong, const Aggregates&,
                               const TentativeProlongation& t, double radius);

}  // namespace stiefel::amg
