#include "stiefel/cli/report/report_json.hpp"

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/report/report_json_parts.hpp"
#include "stiefel/cli/version.hpp"

namespace stiefel::cli {

namespace {

Json columns_json(const SolveReport& report) {
    Json columns = Json::array();
    for (const ColumnResult& column : report.columns) {
        columns.push_back({{"reason", to_string(column.reason)},
                           {"iterations", column.iterations},
                           {"relative_residual", column.relative_residual},
                           {"recurrence_residual", column.recurrence_residual},
                           {"rhs_norm", column.rhs_norm}});
    }
    return columns;
}

Json comparison_json(const std::optional<SolveReport::Comparison>& cg) {
    if (!cg) return nullptr;
    return {{"iterations", cg->iterations}, {"relative_residual", cg->relative_residual}, {"seconds", cg->seconds}};
}

}  // namespace

std::string json_text(const SolveReport& report) {
    const auto& [matrix, backend, method, result, columns, one_by_one, error, seconds, bandwidth, peak, solution, notes,
                 failures] = report;
    Json json;
    json["stiefel"] = version;
    json["command"] = "solve";
    json["matrix"] = matrix_json(matrix);
    json["backend"] = backend_json(backend);
    json["method"] = {{"solver", method.solver},
                      {"preconditioner", method.preconditioner},
                      {"precision", method.precision},
                      {"rtol", method.rtol},
                      {"atol", method.atol},
                      {"max_iterations", method.max_iterations},
                      {"kernel", method.kernel},
                      {"kernel_reason", method.kernel_reason},
                      {"preconditioner_reason", optional_json(method.preconditioner_reason)},
                      {"rhs", method.rhs},
                      {"guess", optional_json(method.guess)}};
    json["result"] = {{"reason", to_string(result.reason)},
                      {"iterations", result.iterations},
                      {"relative_residual", result.relative_residual},
                      {"recurrence_residual", result.recurrence_residual},
                      {"rhs_norm", result.rhs_norm},
                      {"restarts", result.restarts},
                      {"error", optional_json(error)},
                      {"exit_code", static_cast<int>(exit_code_of(result.reason))},
                      {"solution", optional_json(solution)}};
    json["columns"] = columns_json(report);
    json["one_by_one"] = comparison_json(one_by_one);
    json["seconds"] = seconds_json(seconds);
    json["kernels"] = kernels_json(result.kernels, bandwidth);
    json["read_gbytes_per_s"] = bandwidth ? Json(*bandwidth * 1e-9) : Json(nullptr);
    json["peak_memory_bytes"] = peak;
    json["notes"] = notes;
    // Paths need not be valid UTF-8.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace stiefel::cli
