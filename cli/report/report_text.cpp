#include "stiefel/cli/report/report_text.hpp"

#include "stiefel/cli/report/accuracy_parts.hpp"
#include "stiefel/cli/report/column_tables.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/report/preconditioner_parts.hpp"
#include "stiefel/cli/report/text_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiefel::cli {

namespace {

std::string stopping_text(const SolveReport::Method& method) {
    std::string target = fmt::format("{} |b|", format_residual(method.rtol));
    if (method.atol > 0) {
        const std::string absolute = format_residual(method.atol);
        target = method.rtol > 0 ? fmt::format("max({}, {})", target, absolute) : absolute;
    }
    return fmt::format("|b - A x| <= {}, {}", target, budget_text(method.max_iterations, method.time_limit));
}

std::string preconditioner_text(const SolveReport::Method& method) {
    const std::string what = method.preconditioner == "none" ? "no" : method.preconditioner;
    return with_reason(what + " preconditioner", method.preconditioner_reason);
}

void add_system(LabelledLines& page, const SolveReport& report) {
    const SolveReport::Method& method = report.method;
    add_matrix(page, report.matrix);
    const bool many = report.columns.size() > 1;
    page.add("rhs", fmt::format("{}, {}|b| = {}{}", method.rhs,
                                many ? fmt::format("{} columns, largest ", report.columns.size()) : "",
                                report.n_begun() > 0 ? format_residual(report.result.rhs_norm) : "-",
                                method.guess.empty() ? "" : "; guess " + method.guess));
    const bool block = method.solver != "cg";
    page.add("method",
             fmt::format("{} in {} precision, {}", block ? "block conjugate gradients" : "conjugate gradients",
                         method.precision, preconditioner_text(method)));
    page.add("", stopping_text(method));
    if (const std::string order = order_text(method); !order.empty()) page.add("order", order);
    if (const std::string scale = scale_text(report); !scale.empty()) page.add("scale", scale);
    add_computation(page, report, method);
}

void add_residuals(LabelledLines& page, const SolveReport& report) {
    const SolveResult& result = report.result;
    std::string residual = fmt::format("|b - A x| / |b| = {}", format_residual(result.relative_residual));
    // The recurrence's residual is worth a word only where it tells something else.
    const double noticeable = 0.1 * std::max(result.relative_residual, report.method.rtol);
    if (report.method.is_scaled()) {
        residual += fmt::format(" computed afresh; {} by recurrence, of the scaled system",
                                format_residual(result.recurrence_residual));
    } else if (!(std::abs(result.recurrence_residual - result.relative_residual) <= noticeable)) {
        residual += fmt::format(" computed afresh, {} by recurrence", format_residual(result.recurrence_residual));
    }
    if (result.restarts > 0)
        residual += fmt::format(", {} from the true residual", counted(result.restarts, "restart"));
    page.add("", residual);
    if (const std::string accuracy = accuracy_text(report); !accuracy.empty()) page.add("", accuracy);
    if (const std::string runs = runs_text(report); !runs.empty()) page.add("", runs);
}

void add_outcome(LabelledLines& page, const SolveReport& report) {
    add_result(page, report.is_converged(), outcome(report));
    const auto n_columns = static_cast<Size>(report.columns.size());
    if (n_columns > 1 && report.n_begun() < n_columns)
        page.add("", fmt::format("{} of {} columns were begun", report.n_begun(), n_columns));
    if (report.n_begun() > 0) add_residuals(page, report);
    if (report.error)
        page.add("", fmt::format("max |x - 1| = {} (the solution is ones)", format_residual(*report.error)));
    if (!report.solution_path.empty()) page.add("", "x is in " + report.solution_path);
    add_advice(page, advice(report));
}

/// A line for each of the first right-hand sides.
void add_columns(LabelledLines& page, const SolveReport& report) {
    constexpr std::size_t most = 12;
    add_table(page, columns_table(report, most));
    if (report.columns.size() > most) {
        page.add("", fmt::format("... {} more (--json and --report list all)", report.columns.size() - most));
    }
}

}  // namespace

std::string report_text(const SolveReport& report, int width) {
    LabelledLines page(report_indent, width);
    add_system(page, report);
    page.blank();
    add_outcome(page, report);
    page.blank();
    if (const std::string weighed = weighed_text(report); !weighed.empty()) {
        add_table(page, weighed_table(report));
        page.add("", weighed);
        page.blank();
    }
    if (report.columns.size() > 1) {
        add_columns(page, report);
        page.blank();
    }
    if (report.one_by_one) {
        add_table(page, comparison_table(report));
        page.add("", comparison_text(report));
        page.blank();
    }
    add_costs(page, report, report.result.iterations, static_cast<Size>(report.columns.size()), report.result.kernels);
    return page.text();
}

}  // namespace stiefel::cli
