#pragma once

#include "stiefel/preconditioner/amg/ghosts.hpp"
#include "stiefel/spmv/csr.hpp"
#include "stiefel/world/world_matrix.hpp"

#include <vector>

namespace stiefel::amg {

/// Of the rows that a rank holds of a prolongation P: its columns are the rank's own of the next level, and behind them
/// those of others.
struct RankProlongation {
    HostCsr<double> p;
    std::vector<Size> ghosts;  ///< numbers over all ranks of those of others, ascending
    RowBlocks columns;         ///< who holds which
};

/// The rows that a rank holds of what leads to the next level and of that level's matrix.
struct RankProducts {
    SplitRows<double> prolongation;  ///< P
    SplitRows<double> restriction;   ///< P'
    SplitRows<double> a;             ///< P' A P / divisor
};

/// All ranks call it at once. Each multiplies its own rows, for which it gets rows of P from its neighbours, and sends
/// them what belongs to rows of theirs (Tuminaro and Tong 2000).
///   rows    who holds which rows of A
///   a       this rank's, columns of others behind
///   nodes   those others, each of `block` unknowns
RankProducts rank_products(OpenMP& host, Ranks& ranks, const RowBlocks& rows, const HostCsr<double>& a,
                           const Ghosts& nodes, Index block, RankProlongation prolongation, double divisor);

}  // namespace stiefel::amg
