#pragma once

#include "stiefel/cli/report/solve_report.hpp"

#include <string>

namespace stiefel::cli {

/// The report as docs/cli.md promises it to other programs. NaN and infinities become null.
std::string json_text(const SolveReport& report);

}  // namespace stiefel::cli
