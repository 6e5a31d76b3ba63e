#include "stiefel/cli/report/report_json.hpp"

#include "stiefel/cli/report/accuracy_parts.hpp"
#include "stiefel/cli/report/report_json_parts.hpp"

#include <utility>

namespace stiefel::cli {

namespace {

Json evidence_json(Evidence evidence) {
    return evidence == Evidence::none ? Json(nullptr) : Json(to_string(evidence));
}

Json columns_json(const SolveReport& report) {
    Json columns = Json::array();
    for (const SolveReport::Column& column : report.columns) {
        columns.push_back({{"reason", reason_word(column.reason)},
                           {"evidence", evidence_json(column.evidence)},
                           {"iterations", column.iterations},
                           {"relative_residual", optional_json(column.relative_residual)},
                           {"recurrence_residual", optional_json(column.recurrence_residual)},
                           {"rhs_norm", optional_json(column.rhs_norm)}});
        columns.back().update(accuracy_json(column.accuracy));
    }
    return columns;
}

Json runs_json(const SolveReport& report) {
    Json runs = Json::array();
    for (const SolveReport::Run& run : report.runs) {
        runs.push_back({{"preconditioner", run.preconditioner},
                        {"iterations", run.iterations},
                        {"seconds", run.seconds},
                        {"convergence_factor", optional_json(run.convergence_factor())},
                        {"condition", condition_json(run.ritz)}});
    }
    return runs;
}

Json candidates_json(const SolveReport& report) {
    Json candidates = Json::array();
    for (const WeighedPreconditioner& one : report.weighed) {
        const auto got = report.got(one.name);
        candidates.push_back({{"preconditioner", one.name},
                              {"weighed_after", one.after ? Json(*one.after) : Json(nullptr)},
                              {"predicted_iterations", optional_json(one.iterations)},
                              {"predicted_setup_seconds", optional_json(one.expected_setup_seconds)},
                              {"predicted_seconds", optional_json(one.expected_seconds)},
                              {"as_long_as_iterations", optional_json(one.as_long_as)},
                              {"at_least", one.at_least},
                              {"taken", got.has_value()},
                              {"setup_seconds", optional_json(one.setup_seconds)},
                              {"iterations", got ? Json(got->iterations) : Json(nullptr)},
                              {"seconds", got ? Json(got->seconds) : Json(nullptr)}});
    }
    return candidates;
}

Json comparison_json(const std::optional<SolveReport::Comparison>& cg) {
    if (!cg) return nullptr;
    return {{"iterations", cg->iterations}, {"relative_residual", cg->relative_residual}, {"seconds", cg->seconds}};
}

}  // namespace

std::string json_text(const SolveReport& report) {
    const SolveReport::Method& method = report.method;
    const SolveResult& result = report.result;
    Json json = report_head("solve", report);
    json["method"] = {{"solver", method.solver},
                      {"reorder", method.reorder},
                      {"reorder_reason", optional_json(method.reorder_reason)},
                      {"scale", method.scale},
                      {"scale_reason", optional_json(method.scale_reason)}};
    json["method"].update(method_json(method));
    json["method"].update({{"preconditioner_summary", optional_json(summary(report.preconditioner))},
                           {"atol", method.atol},
                           {"rhs", method.rhs},
                           {"guess", optional_json(method.guess)}});
    json["result"] = result_json(result, report);
    json["result"].update({{"evidence", evidence_json(result.evidence)},
                           {"relative_residual", result.relative_residual},
                           {"recurrence_residual", result.recurrence_residual},
                           {"rhs_norm", result.rhs_norm},
                           {"scaled_solves_continued", report.scaled_solves_continued},
                           {"matrix_norm", result.accuracy ? Json(result.accuracy->matrix_norm) : Json(nullptr)},
                           {"condition", condition_json(result.ritz)},
                           {"error", optional_json(report.error)},
                           {"solution", optional_json(report.solution_path)}});
    json["result"].update(accuracy_json(result.accuracy));
    json["preconditioner"] = {{"candidates", candidates_json(report)}, {"runs", runs_json(report)}};
    json["preconditioner"].update(preconditioner_json(report.preconditioner));
    json["columns"] = columns_json(report);
    json["one_by_one"] = comparison_json(report.one_by_one);
    return finished_json(std::move(json), report, result.kernels);
}

}  // namespace stiefel::cli
