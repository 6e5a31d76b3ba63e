#pragma once

#include "stiefel/cli/report/computation_report.hpp"

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

/// What every report of a computation begins with.
Json report_head(const char* command, const ComputationReport& report);
/// Of "method" what all have.
Json method_json(const ComputationReport::Method& method);
/// Of "result" what all have.
template <class Result>
Json result_json(const Result& result, const ComputationReport& report) {
    return {{"reason", reason_word(result.reason)},
            {"iterations", result.iterations},
            {"restarts", result.restarts},
            {"exit_code", static_cast<int>(report.exit_code(result.reason))},
            {"failure", report.fault ? Json(report.fault->message) : Json(nullptr)}};
}
Json preconditioner_json(const PreconditionerDetails& about);
/// The text of a report, with what all end with.
std::string finished_json(Json json, const ComputationReport& report, const std::vector<KernelTime>& kernels);

/// Paths in it need not be valid UTF-8.
std::string dumped(const Json& json);

}  // namespace stiefel::cli
