#include "stiefel/cli/report/html_parts.hpp"

#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/report/preconditioner_parts.hpp"

#include <fmt/format.h>

namespace stiefel::cli {

void add_remarks(HtmlPage::Facts& facts, const std::vector<std::string>& advice, const ComputationReport& report) {
    for (const std::string& help : advice) facts.emplace_back("what may help", help);
    for (const std::string& note : report.notes) facts.emplace_back("note", note);
    for (const std::string& failure : report.failures) facts.emplace_back("not written", failure);
}

void add_matrix(HtmlPage::Facts& facts, const ComputationReport::Matrix& matrix) {
    facts.emplace_back("matrix", fmt::format("{} x {}, {}, stored as {}", grouped(matrix.n_rows),
                                             grouped(matrix.n_cols), counted(matrix.nnz, "nonzero"), matrix.symmetry));
}

void add_computation(HtmlPage::Facts& facts, const ComputationReport& report, const ComputationReport::Method& method) {
    const ComputationReport::Backend& backend = report.backend;
    facts.insert(
        facts.end(),
        {{"format", fmt::format("{}, {}", report.matrix.format, format_bytes(report.matrix.bytes))},
         {"kernel", with_reason(method.kernel, method.kernel_reason)},
         {"backend", fmt::format("{}, {}, {}", backend.name, counted(backend.threads, "thread"), backend.device)},
         {"memory", fmt::format("at most {}", format_bytes(report.peak_memory_bytes))}});
}

void add_costs(HtmlPage& page, const ComputationReport& report, const std::vector<KernelTime>& kernels) {
    add_preconditioner(page, report.preconditioner);
    page.heading("Time");
    page.times(time_parts(report.seconds), report.seconds.total);
    add_kernels(page, kernels, report.seconds.solve, report.read_bandwidth);
    page.run(report.run, report.backend.device, report.backend.software);
}

}  // namespace stiefel::cli
