#include "stiefel/cli/report/figures/row_length_plot.hpp"

#include "stiefel/cli/report/figures/axes.hpp"
#include "stiefel/cli/report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiefel::cli {

namespace {

using Bin = RowLengthHistogram::Bin;

std::string lengths_of(const Bin& bin) {
    return bin.first == bin.last ? grouped(bin.first) : fmt::format("{}–{}", grouped(bin.first), grouped(bin.last));
}

/// The least number of rows in a bin that has any, and the greatest.
std::pair<Size, Size> extremes(const std::vector<Bin>& bins) {
    Size least = 0, greatest = 0;
    for (const Bin& bin : bins) {
        if (bin.rows > 0) least = least == 0 ? bin.rows : std::min(least, bin.rows);
        greatest = std::max(greatest, bin.rows);
    }
    return {least, greatest};
}

std::string description(const std::vector<Bin>& bins) {
    std::string text;
    for (const Bin& bin : bins) {
        if (bin.rows == 0) continue;
        text += fmt::format("{}{} of {} entries", text.empty() ? "" : "; ", counted(bin.rows, "row"), lengths_of(bin));
    }
    return text.empty() ? "There are no rows." : text + ".";
}

/// What stands below a bar: where its lengths are large, from where on they count.
std::string label_of(const Bin& bin) {
    return bin.last < 1000 ? lengths_of(bin) : compact(bin.first) + "–";
}

/// A number at every bar, or as many as have room.
std::vector<Tick> bin_ticks(const std::vector<Bin>& bins) {
    std::size_t longest = 1;
    for (const Bin& bin : bins) longest = std::max(longest, label_of(bin).size());
    const double room = frame_right - frame_left, letter = 6;
    const auto most = static_cast<std::size_t>(room / (letter * static_cast<double>(longest) + 8));
    const std::size_t step = (bins.size() + most - 1) / std::max<std::size_t>(1, most);
    std::vector<Tick> ticks;
    for (std::size_t k = 0; k < bins.size(); k += std::max<std::size_t>(1, step))
        ticks.push_back({static_cast<double>(k) + 0.5, label_of(bins[k])});
    return ticks;
}

}  // namespace

std::string row_lengths_svg(const RowLengthHistogram& histogram) {
    const std::vector<Bin>& bins = histogram.bins;
    const auto [least, greatest] = extremes(bins);
    const bool is_log = greatest > 100 * least;
    const double top = is_log ? std::log10(1.5 * static_cast<double>(greatest)) : 1.08 * static_cast<double>(greatest);
    const double foot = is_log ? -0.3 : 0;  // half a row, so that a bar of one is seen
    const double n_bins = std::max(1.0, static_cast<double>(bins.size()));
    const Frame frame{.x = {0, n_bins, frame_left, frame_right},
                      .y = {foot, std::max(top, foot + 1), frame_bottom, frame_top}};
    Svg svg(figure_width, figure_height, "row-lengths", "lengths of rows", description(bins));
    frame.draw(svg, bin_ticks(bins), "entries in a row",
               is_log ? decade_ticks(0, frame.y.high, 7) : even_ticks(frame.y.high, 5, true), "rows");
    const double bar = std::min(48.0, 0.8 * (frame.x.at(1) - frame.x.at(0)));
    for (std::size_t k = 0; k < bins.size(); ++k) {
        if (bins[k].rows == 0) continue;
        const auto rows = static_cast<double>(bins[k].rows);
        const double y = frame.y.at(is_log ? std::log10(rows) : rows);
        svg.box("bar", frame.x.at(static_cast<double>(k) + 0.5) - bar / 2, y, bar, frame_bottom - y);
    }
    return svg.str();
}

}  // namespace stiefel::cli
