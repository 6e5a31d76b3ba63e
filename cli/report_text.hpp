#pragma once

#include "stiefel/cli/solve_report.hpp"

#include <string>

namespace stiefel::cli {

/// The report for people: what was solved and how, how it ended, where the time went, what each kernel achieved.
/// `width`: columns to wrap at.
std::string report_text(const SolveReport& report, int width);

/// "read 0.61 s, convert 180 ms, ...": the parts worth telling, largest first or in order of time.
std::string time_breakdown(const SolveReport::Seconds& seconds);

}  // namespace stiefel::cli
