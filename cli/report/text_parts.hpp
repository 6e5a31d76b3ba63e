#pragma once

#include "stiefel/cli/report/computation_report.hpp"
#include "stiefel/cli/report/labelled_lines.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace stiefel::cli {

// What the reports for people of several commands have in common.

/// Where texts begin behind their labels.
inline constexpr std::size_t report_indent = 11;

/// The matrix as its file has it.
void add_matrix(LabelledLines& page, const ComputationReport::Matrix& matrix);

/// How it was computed with: format, kernel, backend.
void add_computation(LabelledLines& page, const ComputationReport& report, const ComputationReport::Method& method);

/// How it ended.
void add_result(LabelledLines& page, bool is_good, std::string_view outcome);
void add_advice(LabelledLines& page, const std::vector<std::string>& advice);

/// The end of a report: levels, times, and the kernels of the iterations.
void add_costs(LabelledLines& page, const ComputationReport& report, Size iterations, Size columns,
               const std::vector<KernelTime>& kernels);

}  // namespace stiefel::cli
