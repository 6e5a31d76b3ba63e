#pragma once

#include "stiefel/cli/report/solve_report.hpp"

#include <string>

namespace stiefel::cli {

/// The report as one HTML page that needs nothing else: no script, no font, no picture from elsewhere. Plots
/// result.history as inline SVG.
std::string html_text(const SolveReport& report);

/// A page of the verdict, the plots of convergence and the table of kernels alone: what a notebook shows.
std::string short_html_text(const SolveReport& report);

}  // namespace stiefel::cli
