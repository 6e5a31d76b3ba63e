#pragma once

#include "stiefel/cli/report/solve_report.hpp"
#include "stiefel/cli/report/table.hpp"

#include <optional>
#include <vector>

namespace stiefel::cli {

/// A row for each kernel that was called: calls, time, its share of `seconds`, rates.
Table kernel_table(const std::vector<KernelTime>& kernels, double seconds, std::optional<double> read_bandwidth);

}  // namespace stiefel::cli
