#include "stiefel/cli/eigen/eigen_report.hpp"
#include "stiefel/cli/report/kernel_table.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/terminal/terminal.hpp"

#include <fmt/format.h>

namespace stiefel::cli {

namespace {

constexpr std::size_t label_width = 11;

std::string method_text(const EigenReport::Method& method) {
    std::string text = fmt::format("{} in {} precision", method.name, method.precision);
    if (method.name == "lobpcg") {
        text += fmt::format(", preconditioner {}", method.preconditioner);
        if (method.degree > 0) text += fmt::format(" of degree {}", method.degree);
        if (!method.preconditioner_reason.empty()) text += fmt::format(" ({})", method.preconditioner_reason);
    } else if (method.degree > 0) {
        text += fmt::format(" with a Chebyshev filter of degree {}", method.degree);
    }
    return text;
}

void add_problem(LabelledLines& page, const EigenReport& report) {
    const EigenReport::Method& method = report.method;
    const SolveReport::Matrix& matrix = report.matrix;
    page.add("matrix", fmt::format("{} ({})", matrix.path, matrix.symmetry));
    page.add(
        "", fmt::format("{} x {}, {}", grouped(matrix.n_rows), grouped(matrix.n_cols), counted(matrix.nnz, "nonzero")));
    page.add("wanted",
             fmt::format("the {} eigenpairs {}, |A v - lambda v| <= {} |lambda|, {}", method.count,
                         method.which == "magnitude" ? "furthest from 0" : "that are " + method.which,
                         format_residual(method.rtol), budget_text(method.max_iterations, method.time_limit)));
    page.add("method", fmt::format("{}, {}", method_text(method), counted(method.guards, "guard vector")));
    page.add("format", fmt::format("{}, {}", matrix.format, format_bytes(matrix.bytes)));
    const SolveReport::Backend& backend = report.backend;
    page.add("backend", fmt::format("{}, {}, {}", backend.name, counted(backend.threads, "thread"), backend.device));
}

void add_pairs(LabelledLines& page, const EigenReport& report) {
    page.raw(styled(Style::faint, fmt::format("{:>30}{:>14}", "eigenvalue", "residual")) + '\n');
    Size number = 0;
    for (const EigenPair& pair : report.result.pairs) {
        page.raw(
            fmt::format("{:>4}{:>26.16g}{:>14}", ++number, unsigned_nan(pair.value), format_residual(pair.residual)));
        page.raw(pair.reason == StopReason::converged ? "\n" : fmt::format("   {}\n", to_string(pair.reason)));
    }
}

void add_outcome(LabelledLines& page, const EigenReport& report) {
    page.add_styled("result", styled(report.is_converged() ? Style::good : Style::bad, "result"), outcome(report));
    if (!report.vectors_path.empty()) page.add("", "the eigenvectors are in " + report.vectors_path);
    const char* label = "try";
    for (const std::string& help : advice(report)) {
        page.add(label, help);
        label = "";
    }
}

void add_times(LabelledLines& page, const EigenReport& report) {
    std::vector<std::string> parts;
    for (const auto& [name, seconds] : time_parts(report.seconds)) {
        if (seconds > 0) parts.push_back(fmt::format("{} {}", name, format_seconds(seconds)));
    }
    page.add_list("time", parts);
    page.add("", fmt::format("total {}, at most {} of memory", format_seconds(report.seconds.total),
                             format_bytes(report.peak_memory_bytes)));
}

}  // namespace

std::string report_text(const EigenReport& report, int width) {
    LabelledLines page(label_width, width);
    add_problem(page, report);
    page.blank();
    add_outcome(page, report);
    page.blank();
    if (!report.result.pairs.empty()) {
        add_pairs(page, report);
        page.blank();
    }
    add_times(page, report);
    if (!report.result.kernels.empty()) {
        page.blank();
        add_kernel_table(page, report.result.kernels, report.seconds.solve, report.read_bandwidth, label_width);
    }
    return page.text();
}

}  // namespace stiefel::cli
