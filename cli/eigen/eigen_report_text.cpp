#include "stiefel/cli/eigen/eigen_report.hpp"
#include "stiefel/cli/report/kernel_table.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/report/preconditioner_parts.hpp"
#include "stiefel/cli/terminal/terminal.hpp"

#include <fmt/format.h>

namespace stiefel::cli {

namespace {

constexpr std::size_t label_width = 11;

void add_problem(LabelledLines& page, const EigenReport& report) {
    const EigenReport::Method& method = report.method;
    const SolveReport::Matrix& matrix = report.matrix;
    page.add("matrix", fmt::format("{} ({})", matrix.path, matrix.symmetry));
    page.add(
        "", fmt::format("{} x {}, {}", grouped(matrix.n_rows), grouped(matrix.n_cols), counted(matrix.nnz, "nonzero")));
    page.add("wanted",
             fmt::format("{}, |A v - lambda v| <= {} |lambda|, {}", wanted_text(method), format_residual(method.rtol),
                         budget_text(method.max_iterations, method.time_limit)));
    page.add("method", fmt::format("{}, {}", method_text(method), counted(method.guards, "guard vector")));
    page.add("format", fmt::format("{}, {}", matrix.format, format_bytes(matrix.bytes)));
    const SolveReport::Backend& backend = report.backend;
    page.add("backend", fmt::format("{}, {}, {}", backend.name, counted(backend.threads, "thread"), backend.device));
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
    if (!report.preconditioner.setup.empty()) page.add_list("set-up", setup_parts(report.preconditioner));
}

}  // namespace

std::string report_text(const EigenReport& report, int width) {
    LabelledLines page(label_width, width);
    add_problem(page, report);
    page.blank();
    add_outcome(page, report);
    page.blank();
    if (!report.result.pairs.empty()) {
        add_table(page, pairs_table(report));
        page.blank();
    }
    add_levels(page, report.preconditioner);
    add_times(page, report);
    if (!report.result.kernels.empty()) {
        page.blank();
        add_table(page, kernel_table(report.result.kernels, report.seconds.solve, report.read_bandwidth));
    }
    return page.text();
}

}  // namespace stiefel::cli
