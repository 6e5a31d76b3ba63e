#include "stiefel/cli/report/report_text.hpp"

#include "stiefel/cli/report/column_tables.hpp"
#include "stiefel/cli/report/kernel_table.hpp"
#include "stiefel/cli/report/labelled_lines.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/report/preconditioner_parts.hpp"
#include "stiefel/cli/terminal/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiefel::cli {

namespace {

constexpr std::size_t label_width = 11;

std::string size_text(const SolveReport::Matrix& matrix) {
    const double per_row = matrix.n_rows > 0 ? static_cast<double>(matrix.nnz) / matrix.n_rows : 0;
    return fmt::format("{} x {}, {}, {:.3g} a row", grouped(matrix.n_rows), grouped(matrix.n_cols),
                       counted(matrix.nnz, "nonzero"), per_row);
}

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
    const SolveReport::Matrix& matrix = report.matrix;
    const SolveReport::Method& method = report.method;
    const SolveReport::Backend& backend = report.backend;
    page.add("matrix", fmt::format("{} ({})", matrix.path, matrix.symmetry));
    page.add("", size_text(matrix));
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
    page.add("format", fmt::format("{}, {}, kernel {}", matrix.format, format_bytes(matrix.bytes), method.kernel));
    page.add("", method.kernel_reason);
    page.add("backend", fmt::format("{}, {}, {}", backend.name, counted(backend.threads, "thread"), backend.device));
}

void add_residuals(LabelledLines& page, const SolveReport& report) {
    const SolveResult& result = report.result;
    std::string residual = fmt::format("|b - A x| / |b| = {}", format_residual(result.relative_residual));
    // The recurrence's residual is worth a word only where it tells something else.
    const double noticeable = 0.1 * std::max(result.relative_residual, report.method.rtol);
    if (!(std::abs(result.recurrence_residual - result.relative_residual) <= noticeable)) {
        residual += fmt::format(" computed afresh, {} by recurrence", format_residual(result.recurrence_residual));
    }
    if (result.restarts > 0)
        residual += fmt::format(", {} from the true residual", counted(result.restarts, "restart"));
    page.add("", residual);
    if (const std::string runs = runs_text(report); !runs.empty()) page.add("", runs);
}

void add_outcome(LabelledLines& page, const SolveReport& report) {
    page.add_styled("result", styled(report.is_converged() ? Style::good : Style::bad, "result"), outcome(report));
    const auto n_columns = static_cast<Size>(report.columns.size());
    if (n_columns > 1 && report.n_begun() < n_columns)
        page.add("", fmt::format("{} of {} columns were begun", report.n_begun(), n_columns));
    if (report.n_begun() > 0) add_residuals(page, report);
    if (report.error)
        page.add("", fmt::format("max |x - 1| = {} (the solution is ones)", format_residual(*report.error)));
    if (!report.solution_path.empty()) page.add("", "x is in " + report.solution_path);
    const char* label = "try";
    for (const std::string& help : advice(report)) {
        page.add(label, help);
        label = "";
    }
}

/// A line for each of the first right-hand sides.
void add_columns(LabelledLines& page, const SolveReport& report) {
    constexpr std::size_t most = 12;
    add_table(page, columns_table(report, most));
    if (report.columns.size() > most) {
        page.add("", fmt::format("... {} more (--json and --report list all)", report.columns.size() - most));
    }
}

void add_times(LabelledLines& page, const SolveReport& report) {
    std::vector<std::string> parts;
    for (const auto& [name, seconds] : time_parts(report.seconds)) {
        if (seconds > 0) parts.push_back(fmt::format("{} {}", name, format_seconds(seconds)));
    }
    page.add_list("time", parts);
    std::vector<std::string> totals{"total " + format_seconds(report.seconds.total)};
    if (const Size iterations = report.result.iterations; iterations > 0) {
        const double each = report.seconds.solve / static_cast<double>(iterations);
        totals.push_back(format_seconds(each) + " an iteration");
        if (const auto columns = report.columns.size(); columns > 1) {
            totals.push_back(format_seconds(report.seconds.solve / static_cast<double>(columns)) + " a column");
        }
    }
    totals.push_back(fmt::format("at most {} of memory", format_bytes(report.peak_memory_bytes)));
    page.add_list("", totals);
    if (!report.preconditioner.setup.empty()) page.add_list("set-up", setup_parts(report.preconditioner));
}

}  // namespace

std::string report_text(const SolveReport& report, int width) {
    LabelledLines page(label_width, width);
    add_system(page, report);
    page.blank();
    add_outcome(page, report);
    page.blank();
    if (report.columns.size() > 1) {
        add_columns(page, report);
        page.blank();
    }
    if (report.one_by_one) {
        add_table(page, comparison_table(report));
        page.add("", comparison_text(report));
        page.blank();
    }
    add_levels(page, report.preconditioner);
    add_times(page, report);
    if (report.result.iterations > 0) {
        page.blank();
        add_table(page, kernel_table(report.result.kernels, report.seconds.solve, report.read_bandwidth));
    }
    return page.text();
}

}  // namespace stiefel::cli
