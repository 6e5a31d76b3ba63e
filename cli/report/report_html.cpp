#include "stiefel/cli/report/report_html.hpp"

#include "stiefel/cli/report/accuracy_parts.hpp"
#include "stiefel/cli/report/column_tables.hpp"
#include "stiefel/cli/report/html_parts.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/report/preconditioner_parts.hpp"
#include "stiefel/cli/report/residual_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace stiefel::cli {

namespace {

void add_result(HtmlPage& page, const SolveReport& report) {
    const SolveResult& result = report.result;
    HtmlPage::Facts facts{
        {"relative residual", fmt::format("{:.3e}, computed afresh from x", unsigned_nan(result.relative_residual))},
        {"by recurrence", fmt::format("{:.3e}, {} from the true residual", unsigned_nan(result.recurrence_residual),
                                      counted(result.restarts, "restart"))},
        {"tolerance",
         fmt::format("rtol {}, atol {}", format_residual(report.method.rtol), format_residual(report.method.atol))}};
    add_accuracy(facts, report);
    if (const std::string runs = runs_text(report); !runs.empty()) facts.emplace_back("iterations", runs);
    if (report.error) facts.emplace_back("max |x - 1|", fmt::format("{:.3e}", unsigned_nan(*report.error)));
    if (!report.solution_path.empty()) facts.emplace_back("x", report.solution_path);
    add_remarks(facts, advice(report), report);
    page.facts(facts);
}

void add_history(HtmlPage& page, const SolveReport& report) {
    const double norm = report.result.rhs_norm;
    const bool many = report.columns.size() > 1;
    page.heading("Relative residual, by recurrence");
    page.drawing(
        residual_svg(report.result.history, std::max(report.method.rtol, norm > 0 ? report.method.atol / norm : 0)));
    if (many && report.method.solver == "cg") page.paragraph("The solves of the columns, one after the other.");
    if (many && report.method.solver != "cg") {
        page.paragraph("The largest of a block's columns; where there are several blocks, one after the other.");
    }
}

void add_columns(HtmlPage& page, const SolveReport& report) {
    if (report.one_by_one) {
        page.heading("Both ways");
        page.table(comparison_table(report));
        page.paragraph(comparison_text(report) + ".");
    }
    if (report.columns.size() < 2) return;
    page.heading("Right-hand sides");
    page.table(columns_table(report, std::numeric_limits<std::size_t>::max()));
}

void add_system(HtmlPage& page, const SolveReport& report) {
    const SolveReport::Method& method = report.method;
    HtmlPage::Facts facts;
    add_matrix(facts, report.matrix);
    facts.emplace_back(
        "right-hand side",
        fmt::format("{}, {}|b| = {}", method.rhs,
                    report.columns.size() > 1 ? fmt::format("{} columns, largest ", report.columns.size()) : "",
                    report.n_begun() > 0 ? format_residual(report.result.rhs_norm) : "-"));
    if (!method.guess.empty()) facts.emplace_back("guess", method.guess);
    facts.emplace_back("method",
                       fmt::format("{} in {} precision, {}",
                                   method.solver == "cg" ? "conjugate gradients" : "block conjugate gradients",
                                   method.precision, budget_text(method.max_iterations, method.time_limit)));
    facts.emplace_back("preconditioner", with_reason(method.preconditioner, method.preconditioner_reason));
    if (const std::string order = order_text(method); !order.empty()) facts.emplace_back("order of rows", order);
    add_computation(facts, report, method);
    page.heading("System and method");
    page.facts(facts);
}

}  // namespace

std::string html_text(const SolveReport& report) {
    HtmlPage page("stiefel solve", report.matrix.path, outcome(report), report.is_converged());
    add_result(page, report);
    add_history(page, report);
    add_columns(page, report);
    add_system(page, report);
    add_costs(page, report, report.result.kernels);
    return page.text();
}

}  // namespace stiefel::cli
