#include "stiefel/cli/report/report_html.hpp"

#include "stiefel/cli/report/accuracy_parts.hpp"
#include "stiefel/cli/report/column_tables.hpp"
#include "stiefel/cli/report/html_parts.hpp"
#include "stiefel/cli/report/kernel_table.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/report/preconditioner_parts.hpp"
#include "stiefel/cli/report/report_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace stiefel::cli {

namespace {

/// The relative residual that was asked for.
double target_of(const SolveReport& report) {
    const double norm = report.result.rhs_norm;
    return std::max(report.method.rtol, norm > 0 ? report.method.atol / norm : 0);
}

Verdict verdict_of(const SolveReport& report) {
    Verdict verdict{.is_good = report.is_converged(), .outcome = outcome(report) + ".", .advice = advice(report)};
    const auto say = [&](std::string sentence) { verdict.sentences.push_back(std::move(sentence)); };
    const SolveResult& result = report.result;
    const auto n_columns = static_cast<Size>(report.columns.size());
    if (report.n_begun() > 0) {
        say(fmt::format("The {}relative residual |b - A x| / |b| is {}, computed afresh from x; asked for was {}.",
                        n_columns > 1 ? "largest " : "", format_residual(result.relative_residual),
                        format_residual(target_of(report))));
    }
    if (n_columns > report.n_begun()) {
        say(fmt::format("{} of {} were begun; what was not is the guess.", report.n_begun(),
                        counted(n_columns, "column")));
    }
    if (const double factor = gershgorin_condition(report); factor > 0 && std::isfinite(result.relative_residual)) {
        say(fmt::format("The error |x - x*| / |x*| is at most {}, as Gershgorin's circles bound the spectrum.",
                        format_residual(factor * result.relative_residual)));
    }
    say(fmt::format("It took {}, {} of them in the solve.", format_seconds(report.seconds.total),
                    format_seconds(report.seconds.solve)));
    return verdict;
}

void add_result(HtmlPage& page, const SolveReport& report) {
    const SolveResult& result = report.result;
    HtmlPage::Facts facts;
    if (report.n_begun() > 0) {
        facts.emplace_back("relative residual",
                           fmt::format("{:.3e}, computed afresh from x", unsigned_nan(result.relative_residual)));
        facts.emplace_back(
            "by recurrence",
            fmt::format("{:.3e}{}, {} from the true residual", unsigned_nan(result.recurrence_residual),
                        report.method.is_scaled() ? " of the scaled system" : "", counted(result.restarts, "restart")));
    }
    facts.emplace_back("tolerance", fmt::format("rtol {}, atol {}", format_residual(report.method.rtol),
                                                format_residual(report.method.atol)));
    add_accuracy(facts, report);
    if (const std::string runs = runs_text(report); !runs.empty()) facts.emplace_back("iterations", runs);
    if (report.error) facts.emplace_back("max |x - 1|", fmt::format("{:.3e}", unsigned_nan(*report.error)));
    if (!report.solution_path.empty()) facts.emplace_back("x", report.solution_path);
    add_remarks(facts, report);
    page.facts(facts);
}

/// Where another preconditioner went on; of many columns it is not told.
std::vector<ResidualPlot::Change> changes_of(const SolveReport& report) {
    std::vector<ResidualPlot::Change> changes;
    if (report.columns.size() != 1) return changes;
    Size at = 0;
    for (const SolveReport::Run& run : report.runs) {
        if (at > 0) changes.push_back({at, run.preconditioner});
        at += run.iterations;
    }
    return changes;
}

std::string history_note(const SolveReport& report, bool has_bound) {
    std::string note =
        report.method.is_scaled()
            ? "The residual of the scaled system, |D (b - A x)| / |D b|, as the recurrence carries it (line), and what "
              "was asked for of A x = b (dashed)."
            : "The residual as the recurrence carries it (line), and what was asked for (dashed).";
    if (has_bound) note += " Dotted: a bound of the error |x - x*| / |x*|, by Gershgorin's circles.";
    if (report.columns.size() < 2) return note;
    if (report.method.solver == "cg") return note + " The solves of the columns, one after the other.";
    return note + " The largest of a block's columns; where there are several blocks, one after the other.";
}

void add_history(HtmlPage& page, const SolveReport& report) {
    if (report.result.history.empty()) return;
    const double target = target_of(report);
    const auto& accuracy = report.result.accuracy;
    const bool is_limited = !report.is_converged() && accuracy && accuracy->attainable_residual > target;
    const double factor = report.method.is_scaled() ? 0 : gershgorin_condition(report);  // it is of A
    add_convergence(page,
                    {.history = report.result.history,
                     .starts = report.marks.starts(),
                     .changes = changes_of(report),
                     .target = target,
                     .attainable = is_limited ? accuracy->attainable_residual : 0,
                     .error_factor = factor},
                    report.marks, history_note(report, factor > 0));
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

void add_method(HtmlPage& page, const SolveReport& report) {
    const SolveReport::Method& method = report.method;
    HtmlPage::Facts facts;
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
    if (const std::string scale = scale_text(report); !scale.empty()) facts.emplace_back("scaling", scale);
    add_computation(facts, report, method);
    page.heading("Method");
    page.facts(facts);
    if (const std::string weighed = weighed_text(report); !weighed.empty()) {
        page.heading("Preconditioners weighed");
        page.table(weighed_table(report));
        page.paragraph(weighed + ".");
    }
    add_preconditioner(page, report.preconditioner);
}

}  // namespace

std::string html_text(const SolveReport& report) {
    HtmlPage page("stiefel solve", subject_of(report.matrix), verdict_of(report));
    add_result(page, report);
    add_history(page, report);
    add_columns(page, report);
    add_costs(page, report, report.result.kernels);
    add_matrix(page, report);
    add_method(page, report);
    page.run(report.run, report.backend);
    page.json(json_text(report));
    return page.text();
}

std::string short_html_text(const SolveReport& report) {
    HtmlPage page("stiefel.solve", subject_of(report.matrix), verdict_of(report));
    add_history(page, report);
    page.heading("Kernels");
    page.table(kernel_table(report.result.kernels, report.seconds.solve, report.read_bandwidth));
    return page.text();
}

}  // namespace stiefel::cli
