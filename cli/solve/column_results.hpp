#pragma once

#include "stiefel/cli/report/solve_report.hpp"
#include "stiefel/solver/block_solve_result.hpp"

#include <string_view>

namespace stiefel::cli {

// What the solves of a system's columns add to its report, in the order of the columns.

/// What follows is done with this preconditioner.
void begin_run(std::string_view preconditioner, SolveReport& report);

/// Of a run's seconds, what only served to time kernels.
inline double sampling_seconds(const SolveResult& result) {
    return result.sampling_seconds;
}
inline double sampling_seconds(const BlockSolveResult&) {
    return 0;
}

/// A run of the solver for one column or a block of them: its work. Where a run `continues` another with another
/// preconditioner, its history begins where that ended.
void add_run(const SolveResult& result, bool continues, SolveReport& report);
void add_run(const BlockSolveResult& result, bool continues, SolveReport& report);

/// How the columns ended, with the last run and the iterations of those before it.
void add_columns(const SolveResult& last, Size iterations_before, SolveReport& report);
void add_columns(const BlockSolveResult& last, Size iterations_before, SolveReport& report);

/// Ends the report with the columns up to n_columns that were not begun, and why, and sums all up.
void end_columns(Index n_columns, StopReason why, SolveReport& report);

}  // namespace stiefel::cli
