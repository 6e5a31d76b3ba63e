#include "stiefel/cli/report/figures/pattern_picture.hpp"

#include "stiefel/cli/report/figures/axes.hpp"
#include "stiefel/cli/report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace stiefel::cli {

namespace {

constexpr int n_shades = 6;  // classes shade0 to shade5 of the style sheet
constexpr double side = 288, left = 66, top = 40;

/// The least and the greatest density of cells that hold an entry; 0 and 0 where none does.
std::pair<double, double> extremes(const PatternRaster& raster) {
    double least = 0, greatest = 0;
    for (Index i = 0; i < raster.rows.cells(); ++i) {
        for (Index j = 0; j < raster.columns.cells(); ++j) {
            const double density = raster.density(i, j);
            if (density == 0) continue;
            least = least == 0 ? density : std::min(least, density);
            greatest = std::max(greatest, density);
        }
    }
    return {least, greatest};
}

/// -1 for an empty cell.
int shade(double density, double least, double greatest) {
    if (density == 0) return -1;
    if (!(greatest > least)) return n_shades - 1;
    const double share = std::log(density / least) / std::log(greatest / least);
    return std::clamp(static_cast<int>(share * n_shades), 0, n_shades - 1);
}

/// For each shade the cells as lines along the rows, of width 1 where a cell is 1 x 1.
std::array<std::string, n_shades> lines_of(const PatternRaster& raster) {
    const auto [least, greatest] = extremes(raster);
    const Index width = raster.columns.cells();
    std::array<std::string, n_shades> lines;
    for (Index i = 0; i < raster.rows.cells(); ++i) {
        for (Index j = 0; j < width;) {
            const int of_run = shade(raster.density(i, j), least, greatest);
            Index end = j + 1;
            while (end < width && shade(raster.density(i, end), least, greatest) == of_run) ++end;
            if (of_run >= 0) lines[static_cast<std::size_t>(of_run)] += fmt::format("M{} {}h{}", j, i, end - j);
            j = end;
        }
    }
    return lines;
}

/// A dimension, so long that it fits beside the picture.
std::string dimension(Index n) {
    return n < 1'000'000 ? grouped(n) : compact(n);
}

std::string percent(double share) {
    return fmt::format("{:.2g} %", 100 * share);
}

}  // namespace

std::string pattern_caption(const PatternRaster& raster) {
    const auto [least, greatest] = extremes(raster);
    if (greatest == 0) return "No entry is stored.";
    const Index height = raster.rows.length_of(0), width = raster.columns.length_of(0);
    if (height == 1 && width == 1) return "Every stored entry has a square of its own.";
    const std::string cell = fmt::format("Each square stands for some {} x {} places", grouped(height), grouped(width));
    if (!(greatest > least)) return fmt::format("{}; where there are entries, {} hold one.", cell, percent(least));
    return fmt::format("{}; where there are entries, {} (faintest) to {} (strongest) hold one.", cell, percent(least),
                       percent(greatest));
}

std::string pattern_svg(const PatternRaster& raster) {
    const Index height = raster.rows.cells(), width = raster.columns.cells();
    const Index n_rows = raster.rows.first_of(height), n_cols = raster.columns.first_of(width);
    Svg svg(figure_width, top + side + 12, "pattern", "pattern of the matrix", pattern_caption(raster));
    svg.box("paper", left, top, side, side);
    if (height > 0 && width > 0) {
        svg.open_group(fmt::format("translate({} {}) scale({:.6g} {:.6g}) translate(0 .5)", left, top, side / width,
                                   side / height));
        const auto lines = lines_of(raster);
        for (std::size_t k = 0; k < lines.size(); ++k) {
            if (!lines[k].empty()) svg.path(fmt::format("cells shade{}", k), lines[k]);
        }
        svg.close_group();
    }
    svg.box("outline", left, top, side, side);
    svg.text(0, 14, Svg::Anchor::start, "row", "name");
    svg.text(left - 7, top + 10, Svg::Anchor::end, "1");
    svg.text(left - 7, top + side, Svg::Anchor::end, dimension(n_rows));
    svg.text(left + side, 14, Svg::Anchor::end, "column", "name");
    svg.text(left, top - 7, Svg::Anchor::start, "1");
    svg.text(left + side, top - 7, Svg::Anchor::end, dimension(n_cols));
    return svg.str();
}

}  // namespace stiefel::cli
