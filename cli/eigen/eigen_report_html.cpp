#include "stiefel/cli/eigen/eigen_report.hpp"
#include "stiefel/cli/report/html_page.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/report/preconditioner_parts.hpp"
#include "stiefel/cli/report/residual_plot.hpp"

#include <fmt/format.h>

namespace stiefel::cli {

namespace {

void add_result(HtmlPage& page, const EigenReport& report) {
    HtmlPage::Facts facts{{"largest residual", fmt::format("{:.3e}, |A v - lambda v| / |lambda| computed afresh",
                                                           report.result.worst_residual())},
                          {"tolerance", fmt::format("rtol {}", format_residual(report.method.rtol))}};
    if (report.result.restarts > 0) facts.emplace_back("restarts", grouped(report.result.restarts));
    if (!report.vectors_path.empty()) facts.emplace_back("eigenvectors", report.vectors_path);
    for (const std::string& help : advice(report)) facts.emplace_back("what may help", help);
    for (const std::string& note : report.notes) facts.emplace_back("note", note);
    for (const std::string& failure : report.failures) facts.emplace_back("not written", failure);
    page.facts(facts);
}

void add_problem(HtmlPage& page, const EigenReport& report) {
    const EigenReport::Method& method = report.method;
    const SolveReport::Matrix& matrix = report.matrix;
    const SolveReport::Backend& backend = report.backend;
    page.heading("Matrix and method");
    page.facts(
        {{"matrix", fmt::format("{} x {}, {}, stored as {}", grouped(matrix.n_rows), grouped(matrix.n_cols),
                                counted(matrix.nnz, "nonzero"), matrix.symmetry)},
         {"wanted", wanted_text(method)},
         {"method", fmt::format("{}, {}", method_text(method), budget_text(method.max_iterations, method.time_limit))},
         {"block", fmt::format("{} and {}, from random vectors of seed {}", counted(method.count, "pair"),
                               counted(method.guards, "guard vector"), method.seed)},
         {"format", fmt::format("{}, {}", matrix.format, format_bytes(matrix.bytes))},
         {"kernel", with_reason(method.kernel, method.kernel_reason)},
         {"backend", fmt::format("{}, {}, {}", backend.name, counted(backend.threads, "thread"), backend.device)},
         {"memory", fmt::format("at most {}", format_bytes(report.peak_memory_bytes))}});
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
    add_levels(page, report.preconditioner);
    page.heading("Time");
    page.times(time_parts(report.seconds), report.seconds.total);
    add_kernels(page, report.result.kernels, report.seconds.solve, report.read_bandwidth);
    page.run(report.run, report.backend.device, report.backend.software);
    return page.text();
}

}  // namespace stiefel::cli
