#pragma once

#include "stiefel/cli/report/labelled_lines.hpp"
#include "stiefel/cli/report/solve_report.hpp"

#include <optional>
#include <vector>

namespace stiefel::cli {

/// A row for each kernel: calls, time, its share of `seconds`, rates.
void add_kernel_table(LabelledLines& page, const std::vector<KernelTime>& kernels, double seconds,
                      std::optional<double> read_bandwidth, std::size_t label_width);

}  // namespace stiefel::cli
