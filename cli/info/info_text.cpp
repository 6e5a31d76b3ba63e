#include "stiefel/cli/info/info_report.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/report/table.hpp"
#include "stiefel/core/error.hpp"

#include <fmt/format.h>

namespace stiefel::cli {

namespace {

constexpr std::size_t label_width = 13;

std::string place(Index row, Index col) {
    return fmt::format("({}, {})", row + 1, col + 1);
}

/// "1e-3 to 5", "all 1".
std::string range(double least, double greatest) {
    return least == greatest ? fmt::format("all {:.3g}", least) : fmt::format("{:.3g} to {:.3g}", least, greatest);
}

std::string nonzeros_text(const MatrixInfo& m) {
    const double cells = static_cast<double>(m.n_rows) * m.n_cols;
    const double density = cells > 0 ? static_cast<double>(m.nnz) / cells : 0;
    return fmt::format("{}, {:.3g} a row, density {:.2g}", grouped(m.nnz), m.rows.mean, density);
}

/// "real, symmetric: 219,812 entries of one triangle".
std::string file_text(const InfoReport& report) {
    const std::string entries = report.n_stored == 1 ? "1 entry" : grouped(report.n_stored) + " entries";
    return fmt::format("{}, {}: {}{}", report.field, report.symmetry, entries,
                       report.symmetry == "general" ? "" : " of one triangle");
}

std::string row_lengths_text(const RowStatistics& rows) {
    std::string text =
        rows.shortest == rows.longest
            ? fmt::format("all {}", grouped(rows.longest))
            : fmt::format("{} to {}, mean {:.3g}, median {}, standard deviation {:.3g}", grouped(rows.shortest),
                          grouped(rows.longest), rows.mean, grouped(rows.median), rows.deviation);
    if (rows.n_empty > 0) text += fmt::format("; {} empty", counted(rows.n_empty, "row"));
    return text;
}

std::string bandwidth_text(const BandInfo& band) {
    if (band.lower == 0 && band.upper == 0) return "0, a diagonal matrix";
    if (band.lower == band.upper) return fmt::format("{} on either side of the diagonal", grouped(band.lower));
    return fmt::format("{} below the diagonal, {} above", grouped(band.lower), grouped(band.upper));
}

std::string values_text(const InfoReport& report) {
    const ValueInfo& values = report.matrix.values;
    if (report.field == "pattern") return "none in the file, so that all count as 1";
    if (report.matrix.nnz == 0) return "none";
    std::string text = range(values.min_abs, values.max_abs) + " in magnitude";
    if (values.zero.count > 0) text += fmt::format("; {} stored as zero", grouped(values.zero.count));
    return text;
}

std::string symmetry_text(const SymmetryInfo& s) {
    const auto pair = [](const MirroredPair& p) {
        return fmt::format("{} is {}, {} is {}", place(p.row, p.col), p.value, place(p.col, p.row), p.mirrored);
    };
    const std::string unmirrored =
        s.pattern_symmetric()
            ? ""
            : fmt::format("; {} without a mirror image, the first at {}",
                          s.unmirrored.count == 1 ? "1 entry" : grouped(s.unmirrored.count) + " entries",
                          place(s.unmirrored.first_row, s.unmirrored.first_col));
    if (s.exactly_symmetric()) return "symmetric" + unmirrored;
    if (!s.first) return fmt::format("symmetric up to rounding: {}{}", pair(*s.largest), unmirrored);
    return fmt::format("not symmetric: {}{}", pair(*s.first), s.pattern_symmetric() ? "; the pattern is" : unmirrored);
}

std::string diagonal_text(const DiagonalInfo& d, Index n_rows) {
    const Size not_positive = d.missing.count + d.zero.count + d.negative.count;
    if (not_positive == 0) return "positive, " + range(d.min_abs, d.max_abs);
    std::string text;
    const auto tell = [&](const RowTally& tally, std::string_view what) {
        if (tally.count == 0) return;
        if (!text.empty()) text += "; ";
        text += tally.count == n_rows ? fmt::format("all {}", what)
                                      : fmt::format("{} of {} {}, the first {}", grouped(tally.count), grouped(n_rows),
                                                    what, place(tally.first, tally.first));
    };
    tell(d.missing, "missing");
    tell(d.zero, "zero");
    tell(d.negative, "negative");
    if (d.max_abs > 0) text += fmt::format("; at most {:.3g} in magnitude", d.max_abs);
    return text;
}

std::string dominance_text(const MatrixInfo& m) {
    const DiagonalInfo& d = *m.diagonal;
    if (d.not_strictly_dominant.count == 0) return "every row strictly diagonally dominant";
    if (d.not_dominant.count == 0) {
        const Size strictly = m.n_rows - d.not_strictly_dominant.count;
        return fmt::format("every row diagonally dominant, {} strictly", strictly == 0 ? "none" : grouped(strictly));
    }
    if (d.not_dominant.count == m.n_rows) return "no row diagonally dominant";
    return fmt::format("{} of {} not diagonally dominant, the first is row {}", grouped(d.not_dominant.count),
                       counted(m.n_rows, "row"), d.not_dominant.first + 1);
}

void add_square_facts(LabelledLines& page, const MatrixInfo& m) {
    page.add("symmetry", symmetry_text(*m.symmetry));
    if (m.n_rows == 0) return;
    page.add("diagonal", diagonal_text(*m.diagonal, m.n_rows));
    page.add("dominance", dominance_text(m));
    if (m.symmetry->symmetric_within_tolerance()) {
        page.add("spectrum", fmt::format("within [{:.3g}, {:.3g}] by Gershgorin's circles", m.diagonal->spectrum_lower,
                                         m.diagonal->spectrum_upper));
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
    page.add("values", values_text(report));
    if (m.square()) add_square_facts(page, m);
    page.add("solvable", to_string(suitability(m)));
    page.blank();
    add_table(page, formats_table(m.bytes));
    page.blank();
    page.add("auto takes", fmt::format("{}, kernel {}", report.auto_format, report.auto_kernel));
    page.add("", report.auto_reason);
    if (!report.trials.empty()) add_trials(page, report.trials);
    return page.text();
}

}  // namespace stiefel::cli
