#include "stiefel/cli/report/text_parts.hpp"

#include "stiefel/cli/report/kernel_table.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/report/preconditioner_parts.hpp"
#include "stiefel/cli/report/ranks_parts.hpp"
#include "stiefel/cli/terminal/terminal.hpp"

#include <fmt/format.h>

namespace stiefel::cli {

namespace {

void add_times(LabelledLines& page, const ComputationReport& report, Size iterations, Size columns) {
    std::vector<std::string> parts;
    for (const auto& [name, seconds] : time_parts(report.seconds)) {
        if (seconds > 0) parts.push_back(fmt::format("{} {}", name, format_seconds(seconds)));
    }
    page.add_list("time", parts);
    std::vector<std::string> totals{"total " + format_seconds(report.seconds.total)};
    const auto add_share = [&](Size count, const char* of) {
        totals.push_back(format_seconds(report.seconds.solve / static_cast<double>(count)) + of);
    };
    if (iterations > 0) add_share(iterations, " an iteration");
    if (iterations > 0 && columns > 1) add_share(columns, " a column");
    totals.push_back(fmt::format("at most {} of memory", format_bytes(report.peak_memory_bytes)));
    page.add_list("", totals);
    if (!report.preconditioner.setup.empty()) page.add_list("set-up", setup_parts(report.preconditioner));
}

}  // namespace

void add_matrix(LabelledLines& page, const ComputationReport::Matrix& matrix) {
    const double per_row = matrix.n_rows > 0 ? static_cast<double>(matrix.nnz) / static_cast<double>(matrix.n_rows) : 0;
    page.add("matrix", fmt::format("{} ({})", matrix.path, matrix.symmetry));
    page.add("", fmt::format("{} x {}, {}, {:.3g} a row", grouped(matrix.n_rows), grouped(matrix.n_cols),
                             counted(matrix.nnz, "nonzero"), per_row));
}

void add_computation(LabelledLines& page, const ComputationReport& report, const ComputationReport::Method& method) {
    const ComputationReport::Matrix& matrix = report.matrix;
    const ComputationReport::Backend& backend = report.backend;
    page.add("format", fmt::format("{}, {}, kernel {}", matrix.format, format_bytes(matrix.bytes), method.kernel));
    page.add("", method.kernel_reason);
    page.add("backend", fmt::format("{}, {}, {}", backend.name, counted(backend.threads, "thread"), backend.device));
    add_ranks(page, report.ranks, report.seconds.solve);
}

void add_result(LabelledLines& page, bool is_good, std::string_view outcome) {
    page.add_styled("result", styled(is_good ? Style::good : Style::bad, "result"), outcome);
}

void add_advice(LabelledLines& page, const std::vector<std::string>& advice) {
    const char* label = "try";
    for (const std::string& help : advice) {
        page.add(label, help);
        label = "";
    }
}

void add_costs(LabelledLines& page, const ComputationReport& report, Size iterations, Size columns,
               const std::vector<KernelTime>& kernels) {
    add_preconditioner(page, report.preconditioner);
    add_times(page, report, iterations, columns);
    if (iterations == 0) return;
    page.blank();
    add_table(page, kernel_table(kernels, report.seconds.solve, report.read_bandwidth));
}

}  // namespace stiefel::cli
