#include "stiefel/cli/report/accuracy_parts.hpp"

#include "stiefel/cli/report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiefel::cli {

namespace {

/// "A", "A scaled by its diagonal": what CG's coefficients are of.
std::string whose_condition(const SolveReport& report) {
    const std::string& preconditioner = report.runs.back().preconditioner;
    const std::string a = report.method.is_scaled() ? "D A D" : "A";
    if (preconditioner == "none") return a;
    return preconditioner == "jacobi" ? "A scaled by its diagonal" : a + " preconditioned by " + preconditioner;
}

std::string at_least(double condition) {
    return fmt::format("at least {:.2g}", condition);
}

bool is_told(const std::optional<RitzExtremes>& ritz) {
    return ritz && std::isfinite(ritz->condition());
}

/// What rounding leaves, where that is more than was asked for and not reached; else empty.
std::string limit_text(const SolveReport& report) {
    const SolveResult& result = report.result;
    const double target = std::max(report.method.rtol, report.method.atol / result.rhs_norm);
    if (report.is_converged() || !(result.accuracy->attainable_residual > target)) return "";
    return fmt::format(" (rounding may leave |b - A x| / |b| up to eps |A| |x| / |b| = {:.1e})",
                       result.accuracy->attainable_residual);
}

}  // namespace

std::string accuracy_text(const SolveReport& report) {
    const SolveResult& result = report.result;
    std::string text;
    if (result.accuracy && std::isfinite(result.accuracy->backward_error)) {
        text = fmt::format("backward error {:.1e}{}", result.accuracy->backward_error, limit_text(report));
    }
    if (is_told(result.ritz)) {
        text += fmt::format("{}condition of {} {}", text.empty() ? "" : ", ", whose_condition(report),
                            at_least(result.ritz->condition()));
    }
    return text;
}

void add_accuracy(HtmlPage::Facts& facts, const SolveReport& report) {
    const SolveResult& result = report.result;
    if (result.accuracy && std::isfinite(result.accuracy->backward_error)) {
        facts.emplace_back("backward error",
                           fmt::format("{:.1e}, |b - A x| / (|A| |x| + |b|)", result.accuracy->backward_error));
        facts.emplace_back("attainable", fmt::format("a relative residual near {:.1e}, eps |A| |x| / |b|",
                                                     result.accuracy->attainable_residual));
    }
    if (is_told(result.ritz)) {
        facts.emplace_back("condition",
                           fmt::format("of {} {}", whose_condition(report), at_least(result.ritz->condition())));
    }
}

Json accuracy_json(const std::optional<Accuracy>& accuracy) {
    const auto of = [&](double Accuracy::*figure) { return accuracy ? Json((*accuracy).*figure) : Json(nullptr); };
    return {{"backward_error", of(&Accuracy::backward_error)},
            {"attainable_residual", of(&Accuracy::attainable_residual)}};
}

Json condition_json(const std::optional<RitzExtremes>& ritz) {
    return ritz ? Json(ritz->condition()) : Json(nullptr);
}

}  // namespace stiefel::cli
