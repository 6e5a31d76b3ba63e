#pragma once

#include "stiefel/cli/report/solve_report.hpp"
#include "stiefel/cli/version.hpp"

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
Json preconditioner_json(const PreconditionerDetails& about);
Json seconds_json(const SolveReport::Seconds& seconds);
Json kernels_json(const std::vector<KernelTime>& kernels, std::optional<double> read_bandwidth);

/// Paths in it need not be valid UTF-8.
std::string dumped(const Json& json);

/// What every report begins with.
template <class Report>
Json report_head(const char* command, const Report& report) {
    return {{"stiefel", version},
            {"command", command},
            {"run", run_json(report.run)},
            {"matrix", matrix_json(report.matrix)},
            {"backend", backend_json(report.backend)}};
}

/// And what it ends with.
template <class Report>
std::string finished_json(Json json, const Report& report) {
    json["seconds"] = seconds_json(report.seconds);
    json["kernels"] = kernels_json(report.result.kernels, report.read_bandwidth);
    json["read_gbytes_per_s"] = report.read_bandwidth ? Json(*report.read_bandwidth * 1e-9) : Json(nullptr);
    json["peak_memory_bytes"] = report.peak_memory_bytes;
    json["notes"] = report.notes;
    json["failures"] = report.failures;
    return dumped(json);
}

}  // namespace stiefel::cli
