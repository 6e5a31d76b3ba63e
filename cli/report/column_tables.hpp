#pragma once

#include "stiefel/cli/report/solve_report.hpp"
#include "stiefel/cli/report/table.hpp"

namespace stiefel::cli {

/// A row for each of the first `most` right-hand sides: its norm, and how its solve ended.
Table columns_table(const SolveReport& report, std::size_t most);

/// The two ways that `--solver both` went; without rows where only one was asked for.
Table comparison_table(const SolveReport& report);

/// "together 2.13 times as fast as one after another".
std::string comparison_text(const SolveReport& report);

}  // namespace stiefel::cli
