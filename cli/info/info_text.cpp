#include "stiefel/cli/info/info_report.hpp"
#include "stiefel/cli/report/matrix_parts.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/report/table.hpp"
#include "stiefel/core/error.hpp"

#include <fmt/format.h>

namespace stiefel::cli {

namespace {

constexpr std::size_t label_width = 13;

/// "real, symmetric: 219,812 entries of one triangle".
std::string file_text(const InfoReport& report) {
    const std::string entries = report.n_stored == 1 ? "1 entry" : grouped(report.n_stored) + " entries";
    return fmt::format("{}, {}: {}{}", report.field, report.symmetry, entries,
                       report.symmetry == "general" ? "" : " of one triangle");
}

void add_square_facts(LabelledLines& page, const MatrixInfo& m) {
    page.add("symmetry", symmetry_text(*m.symmetry));
    if (m.n_rows == 0) return;
    page.add("components", components_text(*m.components));
    page.add("diagonal", diagonal_text(*m.diagonal, m.n_rows));
    page.add("dominance", dominance_text(m));
    if (m.symmetry->symmetric_within_tolerance()) {
        page.add("spectrum", spectrum_text(*m.diagonal));
    }
}

Table formats_table(const FormatBytes& bytes) {
    Table table{.columns = {{"format", label_width}, {"bytes", 12}, {"of csr", 10}}};
    const auto csr_bytes = static_cast<double>(bytes.front().bytes);
    for (const auto& [name, size] : bytes) {
        const double ratio = csr_bytes > 0 ? static_cast<double>(size) / csr_bytes : 1;
        table.rows.push_back({std::string(name), format_bytes(size), fmt::format("{:.2f}", ratio)});
    }
    return table;
}

Table trials_table(const std::vector<PreconditionerTrial>& trials) {
    Table table{.columns = {{"tried", label_width},
                            {"set-up", 8},
                            {"iterations", 10},
                            {"solve", 8},
                            {"together", 8},
                            {"memory", 9},
                            {"ended", 12, false}}};
    for (const PreconditionerTrial& t : trials) {
        if (!t.residual) {
            table.rows.push_back({t.name, "", "", "", "", "", t.ended});
            continue;
        }
        table.rows.push_back({t.name, format_seconds(t.setup_seconds), grouped(t.iterations),
                              format_seconds(t.solve_seconds), format_seconds(t.seconds()), format_bytes(t.bytes),
                              t.ended});
    }
    return table;
}

void add_trials(LabelledLines& page, const std::vector<PreconditionerTrial>& trials) {
    page.blank();
    add_table(page, trials_table(trials));
    page.blank();
    page.add("fastest", verdict(trials));
    for (const PreconditionerTrial& t : trials) {
        if (!t.why.empty()) page.add(t.name, fmt::format("{}: {}", t.ended, t.why));
    }
}

/// Who would hold what on several ranks, and what a product sends.
void add_shares(LabelledLines& page, const RanksReport& ranks) {
    page.blank();
    page.add("ranks", fmt::format("{} on {}; {}, the largest {:.2f} of the mean", ranks.ranks.size(),
                                  counted(ranks.n_hosts(), "host"),
                                  with_reason(ranks.partition, ranks.partition_reason), ranks.imbalance()));
    page.add("", fmt::format("{} sent in a product", format_bytes(ranks.halo_bytes_of_product())));
    page.blank();
    Table table{
        .columns = {
            {"rank", label_width}, {"rows", 12}, {"nonzeros", 14}, {"halo", 12}, {"sent", 12}, {"to ranks", 9}}};
    const auto bytes = [](Size elements) { return format_bytes(elements * static_cast<Size>(sizeof(double))); };
    for (const RanksReport::Rank& rank : ranks.ranks) {
        table.rows.push_back({std::to_string(table.rows.size()), grouped(rank.rows), grouped(rank.nnz),
                              bytes(rank.ghosts), bytes(rank.sent), std::to_string(rank.neighbours)});
    }
    add_table(page, table);
}

}  // namespace

Suitability suitability(const MatrixInfo& m) {
    if (!m.square()) return Suitability::not_square;
    if (!m.symmetry->symmetric_within_tolerance()) return Suitability::not_symmetric;
    const DiagonalInfo& d = *m.diagonal;
    if (d.missing.count + d.zero.count + d.negative.count > 0) return Suitability::not_positive_definite;
    return d.not_strictly_dominant.count == 0 ? Suitability::certain : Suitability::possible;
}

std::string_view to_string(Suitability suitability) {
    switch (suitability) {
        case Suitability::certain:
            return "yes: symmetric positive definite, as its diagonal is positive and strictly dominant";
        case Suitability::possible:
            return "perhaps: symmetric with a positive diagonal; solving finds out whether it is positive definite";
        case Suitability::not_square:
            return "no: conjugate gradients need a square matrix";
        case Suitability::not_symmetric:
            return "no: conjugate gradients need a symmetric matrix";
        case Suitability::not_positive_definite:
            return "no: not positive definite, as not all of its diagonal is positive";
    }
    return "";
}

std::string info_text(const InfoReport& report, int width) {
    const MatrixInfo& m = report.matrix;
    LabelledLines page(label_width, width);
    page.add("matrix", report.path);
    page.add("size", fmt::format("{} x {}", grouped(m.n_rows), grouped(m.n_cols)));
    page.add("file", file_text(report));
    page.add("nonzeros", nonzeros_text(m));
    page.add("row lengths", row_lengths_text(m.rows));
    page.add("bandwidth", bandwidth_text(m.band));
    const bool is_pattern = report.field == "pattern";
    page.add("values", is_pattern ? "none in the file, so that all count as 1" : values_text(m));
    if (m.square()) add_square_facts(page, m);
    page.add("solvable", to_string(suitability(m)));
    page.blank();
    add_table(page, formats_table(m.bytes));
    page.blank();
    page.add("auto takes", fmt::format("{}, kernel {}", report.auto_format, report.auto_kernel));
    page.add("", report.auto_reason);
    if (report.ranks) add_shares(page, *report.ranks);
    if (!report.trials.empty()) add_trials(page, report.trials);
    return page.text();
}

}  // namespace stiefel::cli
