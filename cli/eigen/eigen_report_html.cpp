#include "stiefel/cli/eigen/eigen_report.hpp"
#include "stiefel/cli/report/html_parts.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/report/residual_plot.hpp"

#include <fmt/format.h>

namespace stiefel::cli {

namespace {

void add_result(HtmlPage& page, const EigenReport& report) {
    HtmlPage::Facts facts{{"largest residual", fmt::format("{:.3e}, |A v - lambda v| / |lambda| computed afresh",
                                                           report.result.worst_residual())},
                          {"tolerance", fmt::format("rtol {}", format_residual(report.method.rtol))}};
    facts.emplace_back("backward error", fmt::format("at most {:.1e}, |A v - lambda v| / |A|",
                                                     unsigned_nan(report.result.worst_backward_error())));
    if (report.result.restarts > 0) facts.emplace_back("restarts", grouped(report.result.restarts));
    if (!report.vectors_path.empty()) facts.emplace_back("eigenvectors", report.vectors_path);
    add_remarks(facts, advice(report), report);
    page.facts(facts);
}

void add_problem(HtmlPage& page, const EigenReport& report) {
    const EigenReport::Method& method = report.method;
    HtmlPage::Facts facts;
    add_matrix(facts, report.matrix);
    facts.emplace_back("wanted", wanted_text(method));
    facts.emplace_back(
        "method", fmt::format("{}, {}", method_text(method), budget_text(method.max_iterations, method.time_limit)));
    facts.emplace_back("block", fmt::format("{} and {}, from random vectors of seed {}", counted(method.count, "pair"),
                                            counted(method.guards, "guard vector"), method.seed));
    add_computation(facts, report, method);
    page.heading("Matrix and method");
    page.facts(facts);
}

}  // namespace

std::string html_text(const EigenReport& report) {
    HtmlPage page("stiefel eigen", report.matrix.path, outcome(report), report.is_converged());
    add_result(page, report);
    if (!report.result.pairs.empty()) {
        page.heading("Eigenvalues");
        page.table(pairs_table(report));
    }
    if (report.result.history.size() > 1) {  // a dense method has none
        page.heading("Largest residual of the pairs");
        page.drawing(residual_svg(report.result.history, report.method.rtol));
    }
    add_problem(page, report);
    add_costs(page, report, report.result.kernels);
    return page.text();
}

}  // namespace stiefel::cli
