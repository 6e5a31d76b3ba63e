#pragma once

#include "stiefel/cli/report/computation_report.hpp"
#include "stiefel/cli/report/html_page.hpp"

#include <string>
#include <vector>

namespace stiefel::cli {

// What the pages of several commands have in common.

/// What may help, notes, and outputs that could not be written.
void add_remarks(HtmlPage::Facts& facts, const std::vector<std::string>& advice, const ComputationReport& report);

/// The matrix as its file has it.
void add_matrix(HtmlPage::Facts& facts, const ComputationReport::Matrix& matrix);

/// How it was computed with: format, kernel, backend, memory.
void add_computation(HtmlPage::Facts& facts, const ComputationReport& report, const ComputationReport::Method& method);

/// The end of a page: levels, times, kernels and the run.
void add_costs(HtmlPage& page, const ComputationReport& report, const std::vector<KernelTime>& kernels);

}  // namespace stiefel::cli
