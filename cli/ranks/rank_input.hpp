#pragma once

#include "stiefel/cli/report/solve_report.hpp"
#include "stiefel/cli/solve/solve_options.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/world/ranks.hpp"
#include "stiefel/world/row_blocks.hpp"
#include "stiefel/world/world_matrix.hpp"

#include <string>

namespace stiefel::cli {

/// The part of a system that one of several ranks holds.
struct RankSystem {
    RowBlocks blocks;
    std::string partition_reason = {};  ///< why the rows lie so
    SplitRows<double> rows;
    double norm = 0;  ///< infinity_norm of the whole matrix; 0 where it is not a number
    Index n_columns = 1;
    HostVector<double> b = {};      ///< column after column; empty if it is to be A times ones
    HostVector<double> guess = {};  ///< column after column; empty if it is zeros
    PreconditionerChoice preconditioner = {};
};

/// Reads the system that the options name, each rank its share of a plain Matrix Market file; other files and vectors
/// are read by the first and handed out. Checks it as one process does. Fills in the report's matrix, notes and times.
/// With on_gpus the first rank has all rows where one GPU is faster than several. All ranks call it at once. Throws
/// RankFault, in all of them.
RankSystem read_on_ranks(Ranks& ranks, OpenMP& host, const SolveOptions& options, bool on_gpus, SolveReport& report,
                         StatusLine& status);

}  // namespace stiefel::cli
