#include "stiefel/cli/eigen/eigen_report.hpp"
#include "stiefel/cli/report/report_json_parts.hpp"
#include "stiefel/cli/version.hpp"

namespace stiefel::cli {

std::string json_text(const EigenReport& report) {
    const EigenReport::Method& method = report.method;
    const EigenResult& result = report.result;
    Json json;
    json["stiefel"] = version;
    json["command"] = "eigen";
    json["run"] = run_json(report.run);
    json["matrix"] = matrix_json(report.matrix);
    json["backend"] = backend_json(report.backend);
    json["method"] = {{"method", method.name},
                      {"which", method.which},
                      {"count", method.count},
                      {"guards", method.guards},
                      {"preconditioner", method.preconditioner},
                      {"preconditioner_reason", optional_json(method.preconditioner_reason)},
                      {"degree", method.degree},
                      {"precision", method.precision},
                      {"rtol", method.rtol},
                      {"max_iterations", method.max_iterations},
                      {"time_limit", method.time_limit},
                      {"seed", method.seed},
                      {"kernel", method.kernel},
                      {"kernel_reason", method.kernel_reason}};
    json["result"] = {
        {"reason", reason_word(result.reason)},
        {"iterations", result.iterations},
        {"restarts", result.restarts},
        {"converged", report.n_converged()},
        {"largest_relative_residual", result.pairs.empty() ? Json(nullptr) : Json(result.worst_residual())},
        {"norm_estimate", result.pairs.empty() ? Json(nullptr) : Json(result.norm_estimate)},
        {"exit_code", static_cast<int>(report.exit_code())},
        {"failure", report.fault ? Json(report.fault->message) : Json(nullptr)},
        {"vectors", optional_json(report.vectors_path)}};
    json["pairs"] = Json::array();
    for (const EigenPair& pair : result.pairs) {
        json["pairs"].push_back(
            {{"value", pair.value}, {"relative_residual", pair.residual}, {"reason", to_string(pair.reason)}});
    }
    json["seconds"] = seconds_json(report.seconds);
    json["kernels"] = kernels_json(result.kernels, report.read_bandwidth);
    json["read_gbytes_per_s"] = report.read_bandwidth ? Json(*report.read_bandwidth * 1e-9) : Json(nullptr);
    json["peak_memory_bytes"] = report.peak_memory_bytes;
    json["notes"] = report.notes;
    json["failures"] = report.failures;
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace stiefel::cli
