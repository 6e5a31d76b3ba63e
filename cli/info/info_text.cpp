#include "stiefel/cli/info/info_report.hpp"
#include "stiefel/cli/report/labelled_lines.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/core/error.hpp"

#include <fmt/format.h>

namespace stiefel::cli {

namespace {

constexpr std::size_t label_width = 13;

std::string place(Index row, Index col) {
    return fmt::format("({}, {})", row + 1, col + 1);
}

std::string magnitudes(double least, double greatest) {
    if (least == greatest) return fmt::format("{:.3g} in magnitude", least);
    return fmt::format("{:.3g} to {:.3g} in magnitude", least, greatest);
}

std::string nonzeros_text(const InfoReport& report) {
    const MatrixInfo& m = report.matrix;
    const double cells = static_cast<double>(m.n_rows) * m.n_cols;
    const double density = cells > 0 ? static_cast<double>(m.nnz) / cells : 0;
    return fmt::format("{}, {:.3g} a row, density {:.2g}; the file holds {} ({}, {})", grouped(m.nnz), m.rows.mean,
                       density, grouped(report.n_stored), report.field, report.symmetry);
}

std::string row_lengths_text(const RowStatistics& rows) {
    std::string text =
        fmt::format("{} to {}, mean {:.3g}, median {}, standard deviation {:.3g}", grouped(rows.shortest),
                    grouped(rows.longest), rows.mean, grouped(rows.median), rows.deviation);
    if (rows.n_empty > 0) text += fmt::format("; {} empty", counted(rows.n_empty, "row"));
    return text;
}

std::string values_text(const ValueInfo& values) {
    std::string text = magnitudes(values.min_abs, values.max_abs);
    if (values.zero.count > 0) text += fmt::format("; {} stored as zero", grouped(values.zero.count));
    return text;
}

std::string symmetry_text(const SymmetryInfo& s) {
    const auto pair = [](const MirroredPair& p) {
        return fmt::format("{} is {}, {} is {}", place(p.row, p.col), p.value, place(p.col, p.row), p.mirrored);
    };
    const std::string pattern =
        s.pattern_symmetric()
            ? "pattern symmetric"
            : fmt::format("{} without mirror image, first {}",
                          s.unmirrored.count == 1 ? "1 entry" : grouped(s.unmirrored.count) + " entries",
                          place(s.unmirrored.first_row, s.unmirrored.first_col));
    if (s.exactly_symmetric()) return pattern + ", values symmetric";
    if (!s.first) return fmt::format("{}, values symmetric up to rounding: {}", pattern, pair(*s.largest));
    return fmt::format("not symmetric: {}; first difference: {}", pattern, pair(*s.first));
}

std::string diagonal_text(const DiagonalInfo& d) {
    std::string text = magnitudes(d.min_abs, d.max_abs);
    const auto tell = [&](const RowTally& tally, std::string_view what) {
        if (tally.count > 0) {
            text += fmt::format("; {} {}, first {}", grouped(tally.count), what, place(tally.first, tally.first));
        }
    };
    tell(d.missing, "missing");
    tell(d.zero, "zero");
    tell(d.negative, "negative");
    return d.missing.count + d.zero.count + d.negative.count == 0 ? "positive, " + text : text;
}

std::string dominance_text(const MatrixInfo& m) {
    const DiagonalInfo& d = *m.diagonal;
    if (d.not_strictly_dominant.count == 0) return "every row strictly diagonally dominant";
    if (d.not_dominant.count == 0) {
        return fmt::format("every row diagonally dominant, {} strictly",
                           grouped(m.n_rows - d.not_strictly_dominant.count));
    }
    return fmt::format("{} of {} not diagonally dominant, first row {}", grouped(d.not_dominant.count),
                       counted(m.n_rows, "row"), d.not_dominant.first + 1);
}

void add_square_facts(LabelledLines& page, const MatrixInfo& m) {
    page.add("symmetry", symmetry_text(*m.symmetry));
    if (m.n_rows == 0) return;
    page.add("diagonal", diagonal_text(*m.diagonal));
    page.add("dominance", dominance_text(m));
    if (m.symmetry->symmetric_within_tolerance()) {
        page.add("spectrum", fmt::format("within [{:.3g}, {:.3g}] by Gershgorin's circles", m.diagonal->spectrum_lower,
                                         m.diagonal->spectrum_upper));
    }
}

void add_formats(LabelledLines& page, const InfoReport& report) {
    const FormatBytes& bytes = report.matrix.bytes;
    page.raw(styled(Style::faint, fmt::format("{:<{}}{:>12}{:>10}", "format", label_width, "bytes", "of csr")) + '\n');
    for (const auto& [name, size] : {std::pair{"csr", bytes.csr}, {"ellpack", bytes.ellpack}, {"sell", bytes.sell}}) {
        const double ratio = bytes.csr > 0 ? static_cast<double>(size) / static_cast<double>(bytes.csr) : 1;
        page.raw(fmt::format("{:<{}}{:>12}{:>10.2f}\n", name, label_width, format_bytes(size), ratio));
    }
}

}  // namespace

Suitability suitability(const MatrixInfo& m) {
    if (!m.square() || !m.symmetry->symmetric_within_tolerance()) return Suitability::refused;
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
        case Suitability::refused:
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
    page.add("nonzeros", nonzeros_text(report));
    page.add("row lengths", row_lengths_text(m.rows));
    page.add("bandwidth", fmt::format("{} below the diagonal, {} above", grouped(m.band.lower), grouped(m.band.upper)));
    page.add("values", values_text(m.values));
    if (m.square()) add_square_facts(page, m);
    page.add("solvable", to_string(suitability(m)));
    page.blank();
    add_formats(page, report);
    page.add("auto takes", fmt::format("{}, kernel {}", report.auto_format, report.auto_kernel));
    page.add("", report.auto_reason);
    return page.text();
}

}  // namespace stiefel::cli
