#include "stiefel/cli/eigen/eigen_report.hpp"
#include "stiefel/cli/report/html_parts.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/report/preconditioner_parts.hpp"

#include <fmt/format.h>

namespace stiefel::cli {

namespace {

Verdict verdict_of(const EigenReport& report) {
    Verdict verdict{.is_good = report.is_converged(), .outcome = outcome(report) + ".", .advice = advice(report)};
    if (!report.result.pairs.empty()) {
        verdict.sentences.push_back(
            fmt::format("The largest residual |A v - lambda v| / |lambda| is {}, computed afresh; asked for was {}.",
                        format_residual(report.result.worst_residual()), format_residual(report.method.rtol)));
    }
    verdict.sentences.push_back(fmt::format("It took {}, {} of them in the search.",
                                            format_seconds(report.seconds.total),
                                            format_seconds(report.seconds.solve)));
    return verdict;
}

void add_result(HtmlPage& page, const EigenReport& report) {
    HtmlPage::Facts facts{{"largest residual", fmt::format("{:.3e}, |A v - lambda v| / |lambda| computed afresh",
                                                           report.result.worst_residual())},
                          {"tolerance", fmt::format("rtol {}", format_residual(report.method.rtol))}};
    facts.emplace_back("backward error", fmt::format("at most {:.1e}, |A v - lambda v| / |A|",
                                                     unsigned_nan(report.result.worst_backward_error())));
    if (report.result.restarts > 0) facts.emplace_back("restarts", grouped(report.result.restarts));
    if (!report.vectors_path.empty()) facts.emplace_back("eigenvectors", report.vectors_path);
    add_remarks(facts, report);
    page.facts(facts);
}

void add_history(HtmlPage& page, const EigenReport& report) {
    if (report.result.history.size() < 2) return;  // a dense method has none
    add_convergence(
        page,
        {.quantity = "largest residual of the pairs", .history = report.result.history, .target = report.method.rtol},
        report.marks,
        "The residual |A v - lambda v| / |lambda| of the pair that is last (line), and what was asked for "
        "(dashed). It bounds the relative error of its eigenvalue.");
}

void add_method(HtmlPage& page, const EigenReport& report) {
    const EigenReport::Method& method = report.method;
    HtmlPage::Facts facts;
    facts.emplace_back("wanted", wanted_text(method));
    facts.emplace_back(
        "method", fmt::format("{}, {}", method_text(method), budget_text(method.max_iterations, method.time_limit)));
    facts.emplace_back("block", fmt::format("{} and {}, from random vectors of seed {}", counted(method.count, "pair"),
                                            counted(method.guards, "guard vector"), method.seed));
    add_computation(facts, report, method);
    page.heading("Method");
    page.facts(facts);
    add_preconditioner(page, report.preconditioner);
}

}  // namespace

std::string html_text(const EigenReport& report) {
    HtmlPage page("stiefel eigen", subject_of(report.matrix), verdict_of(report));
    add_result(page, report);
    if (!report.result.pairs.empty()) {
        page.heading("Eigenvalues");
        page.table(pairs_table(report));
        page.paragraph(
            "The residual bounds the relative error: there is an eigenvalue of A within residual times |lambda|.");
    }
    add_history(page, report);
    add_costs(page, report, report.result.kernels);
    add_matrix(page, report);
    add_method(page, report);
    page.run(report.run, report.backend);
    page.json(json_text(report));
    return page.text();
}

}  // namespace stiefel::cli
