#pragma once

#include "stiefel/cli/report/solve_report.hpp"
#include "stiefel/solver/block_solve_result.hpp"

#include <string_view>

namespace stiefel::cli {

// What the solves of a system's columns add to its report, in the order of the columns.

/// What follows is done with this preconditioner.
void begin_run(std::string_view preconditioner, SolveReport& report);

/// One column by itself.
void add_result(const SolveResult& result, SolveReport& report);

/// A block of columns.
void add_result(const BlockSolveResult& result, SolveReport& report);

/// Ends the report with the columns up to n_columns that were not begun, and why, and sums all up.
void end_columns(Index n_columns, StopReason why, SolveReport& report);

}  // namespace stiefel::cli
