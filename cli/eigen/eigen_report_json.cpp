#include "stiefel/cli/eigen/eigen_report.hpp"
#include "stiefel/cli/report/report_json_parts.hpp"

#include <utility>

namespace stiefel::cli {

std::string json_text(const EigenReport& report) {
    const EigenReport::Method& method = report.method;
    const EigenResult& result = report.result;
    Json json = report_head("eigen", report);
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
    json["preconditioner"] = preconditioner_json(report.preconditioner);
    json["pairs"] = Json::array();
    for (const EigenPair& pair : result.pairs) {
        json["pairs"].push_back(
            {{"value", pair.value}, {"relative_residual", pair.residual}, {"reason", to_string(pair.reason)}});
    }
    return finished_json(std::move(json), report);
}

}  // namespace stiefel::cli
