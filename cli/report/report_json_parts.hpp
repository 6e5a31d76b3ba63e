#pragma once

#include "stiefel/cli/report/solve_report.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace stiefel::cli {

// What the JSON reports of several commands have in common.

/// Keys keep the order in which they are documented.
using Json = nlohmann::ordered_json;

/// null for what there is not.
Json optional_json(std::optional<double> value);
Json optional_json(const std::string& text);

Json run_json(const RunInfo& run);
Json matrix_json(const SolveReport::Matrix& matrix);
Json backend_json(const SolveReport::Backend& backend);
Json preconditioner_json(const SolveReport& report);
Json seconds_json(const SolveReport::Seconds& seconds);
Json kernels_json(const std::vector<KernelTime>& kernels, std::optional<double> read_bandwidth);

}  // namespace stiefel::cli
