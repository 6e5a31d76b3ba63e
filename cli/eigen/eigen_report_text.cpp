#include "stiefel/cli/eigen/eigen_report.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/report/text_parts.hpp"

#include <fmt/format.h>

namespace stiefel::cli {

namespace {

void add_problem(LabelledLines& page, const EigenReport& report) {
    const EigenReport::Method& method = report.method;
    add_matrix(page, report.matrix);
    page.add("wanted",
             fmt::format("{}, |A v - lambda v| <= {} |lambda|, {}", wanted_text(method), format_residual(method.rtol),
                         budget_text(method.max_iterations, method.time_limit)));
    page.add("method", fmt::format("{}, {}", method_text(method), counted(method.guards, "guard vector")));
    add_computation(page, report, method);
}

void add_outcome(LabelledLines& page, const EigenReport& report) {
    add_result(page, report.is_converged(), outcome(report));
    if (!report.vectors_path.empty()) page.add("", "the eigenvectors are in " + report.vectors_path);
    add_advice(page, advice(report));
}

}  // namespace

std::string report_text(const EigenReport& report, int width) {
    LabelledLines page(report_indent, width);
    add_problem(page, report);
    page.blank();
    add_outcome(page, report);
    page.blank();
    if (!report.result.pairs.empty()) {
        add_table(page, pairs_table(report));
        page.blank();
    }
    add_costs(page, report, report.result.iterations, 1, report.result.kernels);
    return page.text();
}

}  // namespace stiefel::cli
