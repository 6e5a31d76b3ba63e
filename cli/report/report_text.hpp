#pragma once

#include "stiefel/cli/report/solve_report.hpp"

#include <string>

namespace stiefel::cli {

/// The report for people: what was solved and how, how it ended, where the time went, what each kernel achieved.
/// `width`: columns to wrap at.
std::string report_text(const SolveReport& report, int width);

}  // namespace stiefel::cli
