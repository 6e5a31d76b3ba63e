#pragma once

#include "stiefel/cli/report/html_page.hpp"
#include "stiefel/cli/report/report_json_parts.hpp"
#include "stiefel/cli/report/solve_report.hpp"

#include <string>

namespace stiefel::cli {

/// One line on how good x is and how hard the system: "backward error 3.1e-13, condition of A scaled by its diagonal at
/// least 1.2e+05". Where not all that was asked for was reached, what rounding may leave is said too if that is more.
/// Empty where nothing is known.
std::string accuracy_text(const SolveReport& report);

/// The same as facts of a page.
void add_accuracy(HtmlPage::Facts& facts, const SolveReport& report);

/// "backward_error" and "attainable_residual"; null where they are not known.
Json accuracy_json(const std::optional<Accuracy>& accuracy);

/// null where it is not known.
Json condition_json(const std::optional<RitzExtremes>& ritz);

}  // namespace stiefel::cli
