#include "stiefel/cli/report/matrix_parts.hpp"

#include "stiefel/cli/report/numbers.hpp"

#include <fmt/format.h>

namespace stiefel::cli {

namespace {

std::string place(Index row, Index col) {
    return fmt::format("({}, {})", row + 1, col + 1);
}

/// "1e-3 to 5", "all 1".
std::string range(double least, double greatest) {
    return least == greatest ? fmt::format("all {:.3g}", least) : fmt::format("{:.3g} to {:.3g}", least, greatest);
}

}  // namespace

std::string nonzeros_text(const MatrixInfo& m) {
    const double cells = static_cast<double>(m.n_rows) * m.n_cols;
    const double density = cells > 0 ? static_cast<double>(m.nnz) / cells : 0;
    return fmt::format("{}, {:.3g} a row, density {:.2g}", grouped(m.nnz), m.rows.mean, density);
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

std::string values_text(const MatrixInfo& m) {
    const ValueInfo& values = m.values;
    if (m.nnz == 0) return "none";
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

std::string components_text(const ComponentInfo& c) {
    if (c.number == 1) return "one connected piece";
    const std::string rows = c.smallest == c.largest
                                 ? counted(c.largest, "row") + " each"
                                 : fmt::format("{} to {}", grouped(c.smallest), counted(c.largest, "row"));
    return fmt::format("{} pieces that do not touch each other, of {}: each could be solved by itself",
                       grouped(c.number), rows);
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

std::string spectrum_text(const DiagonalInfo& d) {
    return fmt::format("within [{:.3g}, {:.3g}] by Gershgorin's circles", d.spectrum_lower, d.spectrum_upper);
}

}  // namespace stiefel::cli
