#include "stiefel/cli/eigen/eigen_report.hpp"
#include "stiefel/cli/report/report_json_parts.hpp"

#include <utility>

namespace stiefel::cli {

std::string json_text(const EigenReport& report) {
    const EigenReport::Method& method = report.method;
    const EigenResult& result = report.result;
    Json json = report_head("eigen", report);
    json["method"] = {{"method", method.name},   {"which", method.which},   {"count", method.count},
                      {"guards", method.guards}, {"degree", method.degree}, {"seed", method.seed}};
    json["method"].update(method_json(method));
    const auto of_pairs = [&](double value) { return result.pairs.empty() ? Json(nullptr) : Json(value); };
    json["result"] = result_json(result, report);
    json["result"].update({{"converged", report.n_converged()},
                           {"largest_relative_residual", of_pairs(result.worst_residual())},
                           {"norm_estimate", of_pairs(result.norm_estimate)},
                           {"largest_backward_error", of_pairs(result.worst_backward_error())},
                           {"vectors", optional_json(report.vectors_path)}});
    json["preconditioner"] = preconditioner_json(report.preconditioner);
    json["pairs"] = Json::array();
    for (const EigenPair& pair : result.pairs) {
        json["pairs"].push_back({{"value", pair.value},
                                 {"relative_residual", pair.residual},
                                 {"backward_error", pair.backward_error},
                                 {"reason", to_string(pair.reason)}});
    }
    return finished_json(std::move(json), report, result.kernels);
}

}  // namespace stiefel::cli
