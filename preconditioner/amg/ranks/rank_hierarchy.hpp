#pragma once

#include "stiefel/preconditioner/amg/ranks/rank_coarsening.hpp"

#include <functional>

namespace stiefel::amg {

/// What a level is made of whose rows lie with several ranks, as Level of one process.
struct RankLevel {
    const RowBlocks& rows;
    const SplitRows<double>& a;
    const HostVector<double>& diagonal;  ///< of this rank's rows
    double spectral_radius;              ///< of D^-1 A: an upper bound
    Size nonzeros;                       ///< of all ranks
    const RankCoarser* next;             ///< none: the last that ranks share, to be gathered
    const HostVector<double>* coarse_diagonal;
    Index block_size;                      ///< unknowns at each node of the finest level
    const NearNullSpace* near_null_space;  ///< of the last, where there are several modes
};

/// The largest Ritz value of a level's matrix between reciprocal roots of its diagonal, by Lanczos; all ranks ask at
/// once and find the same.
using RankRitzValueOf =
    std::function<double(const RowBlocks&, const SplitRows<double>&, const HostVector<double>& roots)>;

/// Builds the levels that ranks share, those of more than options.gathered_rows and the first that is not, on their
/// cores, from the finest on, and hands each to keep(), as build_hierarchy() does. The backend has joined the ranks;
/// all call it at once, and keep() may call what all do. The bits depend on who holds which rows and on nothing else.
/// Throws as build_hierarchy(), in all ranks. ritz_value: as there.
SetupSeconds build_rank_hierarchy(OpenMP&, Ranks&, const RowBlocks& rows, const SplitRows<double>& a,
                                  const SetupOptions&, const std::function<void(const RankLevel&)>& keep,
                                  const RankRitzValueOf& ritz_value = {});

}  // namespace stiefel::amg
