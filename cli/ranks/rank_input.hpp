#pragma once

#include "stiefel/cli/ranks/rank_matrix.hpp"
#include "stiefel/cli/report/solve_report.hpp"
#include "stiefel/cli/solve/solve_options.hpp"

namespace stiefel::cli {

/// The part of a system that one of several ranks holds.
struct RankSystem : RankMatrix {
    Index n_columns = 1;
    HostVector<double> b = {};      ///< column after column, divided by 2^exponent; empty if it is to be A times ones
    HostVector<double> guess = {};  ///< column after column; empty if it is zeros
    Index block_size = 0;           ///< unknowns of a node, with which ranks begin; 0 where they are not told
    DenseArray<double> coordinates = {};  ///< of the nodes of these rows; empty if they are not told
    PreconditionerChoice preconditioner = {};
};

/// Reads the system that the options name: the matrix as read_matrix_on_ranks does; vectors are made where they are
/// needed, or read by the first rank and handed out. Checks it as one process does. Fills in the report's matrix, notes
/// and times. All ranks call it at once. Throws RankFault, in all of them.
RankSystem read_on_ranks(Ranks& ranks, OpenMP& host, const SolveOptions& options, bool on_gpus, SolveReport& report,
                         StatusLine& status);

}  // namespace stiefel::cli
