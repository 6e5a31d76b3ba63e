#include "stiefel/cli/report/html_parts.hpp"

#include "stiefel/cli/report/figures/pattern_picture.hpp"
#include "stiefel/cli/report/figures/roofline_plot.hpp"
#include "stiefel/cli/report/figures/row_length_plot.hpp"
#include "stiefel/cli/report/kernel_table.hpp"
#include "stiefel/cli/report/matrix_diagnosis.hpp"
#include "stiefel/cli/report/matrix_parts.hpp"
#include "stiefel/cli/report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiefel::cli {

namespace {

HtmlPage::Facts facts_of(const MatrixInfo& m) {
    HtmlPage::Facts facts{{"nonzeros", nonzeros_text(m)},
                          {"row lengths", row_lengths_text(m.rows)},
                          {"bandwidth", bandwidth_text(m.band)},
                          {"values", values_text(m)}};
    if (!m.symmetry || !m.diagonal || !m.components || m.n_rows == 0) return facts;
    facts.emplace_back("symmetry", symmetry_text(*m.symmetry));
    facts.emplace_back("components", components_text(*m.components));
    facts.emplace_back("diagonal", diagonal_text(*m.diagonal, m.n_rows));
    facts.emplace_back("dominance", dominance_text(m));
    if (m.symmetry->symmetric_within_tolerance()) facts.emplace_back("spectrum", spectrum_text(*m.diagonal));
    return facts;
}

std::optional<Roof> roof_of(const ComputationReport& report) {
    const double flops = report.peak_flops.value_or(std::numeric_limits<double>::infinity());
    if (report.read_bandwidth) return Roof{"memory", *report.read_bandwidth, flops};
    if (report.cache_bandwidth) return Roof{"caches", *report.cache_bandwidth, flops};
    return {};
}

/// What there is to know of the kernels' rates.
std::string roofline_note(const std::optional<Roof>& roof, bool in_memory) {
    std::string note =
        "Bytes are the least that a kernel must move: every input read once, every output written once. ";
    if (!roof) return note;
    note += fmt::format("The slanted line is what {} GB/s allow, the rate at which this machine was measured to read ",
                        format_rate(roof->bandwidth * 1e-9));
    note += (in_memory ? "memory: a kernel on it is as fast as the memory; above it, data come from caches."
                       : "an array of the matrix's size, which stays in the caches as the matrix does. What a "
                         "kernel keeps nearer than that may lie above it.");
    if (std::isfinite(roof->flops))
        note += " The level line is the rate at which it was measured to multiply and add on registers.";
    return note;
}

void add_kernels(HtmlPage& page, const ComputationReport& report, const std::vector<KernelTime>& kernels) {
    if (std::none_of(kernels.begin(), kernels.end(), [](const KernelTime& k) { return k.calls > 0; })) return;
    page.heading("Kernels");
    const std::optional<Roof> roof = roof_of(report);
    const std::string note = roofline_note(roof, report.read_bandwidth.has_value());
    const std::string roofline = roofline_svg(kernels, roof);
    if (!roofline.empty()) page.figures({{roofline, note}});
    page.table(kernel_table(kernels, report.seconds.solve, report.read_bandwidth));
    if (roofline.empty()) page.paragraph(note);
}

}  // namespace

void add_remarks(HtmlPage::Facts& facts, const ComputationReport& report) {
    for (const std::string& note : report.notes) facts.emplace_back("note", note);
    for (const std::string& failure : report.failures) facts.emplace_back("not written", failure);
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

void add_convergence(HtmlPage& page, const ResidualPlot& plot, const IterationMarks& marks, const std::string& note) {
    page.heading("Convergence");
    if (marks.empty()) {
        page.figures({{residual_svg(plot), note}});
        return;
    }
    page.figures(
        {{residual_svg(plot), note}, {residual_svg(plot, marks), "Time since the first iteration was begun."}});
}

void add_matrix(HtmlPage& page, const ComputationReport& report) {
    const ComputationReport::Matrix& matrix = report.matrix;
    page.heading("Matrix");
    HtmlPage::Facts facts{
        {"file", matrix.path},
        {"size", fmt::format("{} x {}, {}, stored as {}", grouped(matrix.n_rows), grouped(matrix.n_cols),
                             counted(matrix.nnz, "nonzero"), matrix.symmetry)}};
    if (report.diagnosis) {
        const MatrixDiagnosis& diagnosis = *report.diagnosis;
        page.figures({{pattern_svg(diagnosis.pattern), pattern_caption(diagnosis.pattern)},
                      {row_lengths_svg(diagnosis.row_lengths), "How many rows have how many entries."}});
        const HtmlPage::Facts more = facts_of(diagnosis.info);
        facts.insert(facts.end(), more.begin(), more.end());
    }
    page.facts(facts);
}

void add_costs(HtmlPage& page, const ComputationReport& report, const std::vector<KernelTime>& kernels) {
    page.heading("Where the time went");
    page.stacked_times(time_breakdown(report, kernels));
    add_kernels(page, report, kernels);
}

std::string subject_of(const ComputationReport::Matrix& matrix) {
    if (matrix.path == "-") return "standard input";
    return matrix.path.substr(matrix.path.rfind('/') + 1);
}

double gershgorin_condition(const ComputationReport& report) {
    if (!report.diagnosis) return 0;
    const MatrixInfo& m = report.diagnosis->info;
    if (!m.symmetry || !m.diagonal || !m.symmetry->symmetric_within_tolerance()) return 0;
    const DiagonalInfo& d = *m.diagonal;
    // The bounds are sums of rounded numbers: what little is left of a row's diagonal may be rounding.
    constexpr double least_gap = 1e-8;
    return d.spectrum_lower > least_gap * d.spectrum_upper ? d.spectrum_upper / d.spectrum_lower : 0;
}

}  // namespace stiefel::cli
