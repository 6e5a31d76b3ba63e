#include "stiefel/cli/report/figures/roofline_plot.hpp"

#include "stiefel/cli/report/computation_report.hpp"
#include "stiefel/cli/report/figures/axes.hpp"
#include "stiefel/cli/report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stiefel::cli {

namespace {

constexpr double height = 292;
constexpr double right = figure_width - 134;  // beside it the kernels' names
constexpr double bottom = height - 42;

struct Point {
    std::string name;
    double intensity;  ///< log10 of flops a byte
    double rate;       ///< log10 of GFLOP/s
    std::string words;
};

std::vector<Point> points_of(const std::vector<KernelTime>& kernels, std::optional<Roof> roof) {
    std::vector<Point> points;
    for (const KernelTime& kernel : kernels) {
        const KernelRates rates = rates_of(kernel, {});
        const double intensity = kernel.work.bytes > 0 ? kernel.work.flops / kernel.work.bytes : 0;
        if (!(intensity > 0) || !(rates.gflops > 0)) continue;
        const std::string share =
            roof ? fmt::format(", {:.2f} of the line", rates.gflops * 1e9 / roof->at(intensity)) : "";
        points.push_back({std::string(kernel.name), std::log10(intensity), std::log10(rates.gflops),
                          fmt::format("{}: {} flops a byte, {} GFLOP/s, {} GB/s{}", kernel.name, format_rate(intensity),
                                      format_rate(rates.gflops), format_rate(rates.gbytes_per_s), share)});
    }
    return points;
}

/// At least 0.9 decades, so that there are numbers at it.
std::pair<double, double> range_of(const std::vector<Point>& points, double Point::*value) {
    const auto [least, most] = std::minmax_element(points.begin(), points.end(),
                                                   [&](const Point& a, const Point& b) { return a.*value < b.*value; });
    const double low = (*least).*value, high = (*most).*value;
    const double margin = std::max(0.15, 0.5 * (0.9 - (high - low)));
    return {low - margin, high + margin};
}

/// A roof in the logarithms of the axes.
struct Lines {
    double bandwidth;
    std::optional<double> peak;

    explicit Lines(const Roof& roof) : bandwidth(std::log10(roof.bandwidth * 1e-9)) {
        if (roof.flops) peak = std::log10(*roof.flops * 1e-9);
    }
    double at(double intensity) const { return peak ? std::min(bandwidth + intensity, *peak) : bandwidth + intensity; }
};

/// As wide as the points are, and as the roof until it is level.
Frame frame_of(const std::vector<Point>& points, const std::optional<Lines>& roof) {
    auto [x_low, x_high] = range_of(points, &Point::intensity);
    auto [y_low, y_high] = range_of(points, &Point::rate);
    if (roof) {
        if (roof->peak) x_high = std::max(x_high, *roof->peak - roof->bandwidth + 0.4);
        y_low = std::min(y_low, roof->at(x_low));
        y_high = std::max(y_high, roof->at(x_high) + (roof->peak ? 0.15 : 0));
    }
    return {.x = {x_low, x_high, frame_left, right}, .y = {y_low, y_high, bottom, frame_top}};
}

/// Names at the right of the frame, in the order of the points' heights, each led to its point by a line.
void draw_names(Svg& svg, const Frame& frame, std::vector<Point> points) {
    constexpr double line_height = 17;
    std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.rate > b.rate; });
    const double room = bottom - frame_top;
    const double step = std::min(line_height, room / static_cast<double>(points.size()));
    std::vector<double> places;
    for (const Point& point : points) {
        const double wanted = frame.y.at(point.rate);
        places.push_back(places.empty() ? std::max(wanted, frame_top) : std::max(wanted, places.back() + step));
    }
    double limit = bottom;
    for (auto place = places.rbegin(); place != places.rend(); ++place, limit -= step) *place = std::min(*place, limit);
    for (std::size_t k = 0; k < points.size(); ++k) {
        svg.line("leader", frame.x.at(points[k].intensity), frame.y.at(points[k].rate), right + 8, places[k]);
        svg.text(right + 11, places[k] + 4, Svg::Anchor::start, points[k].name);
    }
}

void draw_roof(Svg& svg, const Frame& frame, const Roof& roof, const Lines& lines) {
    const double ridge =
        lines.peak ? std::clamp(*lines.peak - lines.bandwidth, frame.x.low, frame.x.high) : frame.x.high;
    if (ridge > frame.x.low) {
        svg.line("roof", frame.x.begin, frame.y.at(lines.at(frame.x.low)), frame.x.at(ridge),
                 frame.y.at(lines.at(ridge)));
    }
    svg.text(frame.x.begin + 6, frame_top + 2, Svg::Anchor::start,
             fmt::format("{}: {} GB/s", roof.name, format_rate(roof.bandwidth * 1e-9)), "halo roof-name");
    if (!lines.peak) return;
    svg.line("roof", frame.x.at(ridge), frame.y.at(*lines.peak), frame.x.end, frame.y.at(*lines.peak));
    svg.text(frame.x.end - 6, frame.y.at(*lines.peak) + 16, Svg::Anchor::end,
             fmt::format("{} GFLOP/s", format_rate(*roof.flops * 1e-9)), "halo roof-name");
}

std::string description(const std::vector<Point>& points) {
    std::string text;
    for (const Point& point : points) text += (text.empty() ? "" : "; ") + point.words;
    return text + ".";
}

}  // namespace

std::string roofline_svg(const std::vector<KernelTime>& kernels, std::optional<Roof> roof) {
    const std::vector<Point> points = points_of(kernels, roof);
    if (points.empty()) return "";
    const std::optional<Lines> lines = roof ? std::optional<Lines>(*roof) : std::nullopt;
    const Frame frame = frame_of(points, lines);
    Svg svg(figure_width, height, "roofline", "kernels against the roofline", description(points));
    frame.draw(svg, log_ticks(frame.x.low, frame.x.high, 7), "flops a byte", log_ticks(frame.y.low, frame.y.high, 8),
               "GFLOP/s");
    if (lines) draw_roof(svg, frame, *roof, *lines);
    draw_names(svg, frame, points);
    for (const Point& point : points)
        svg.dot("kernel", frame.x.at(point.intensity), frame.y.at(point.rate), point.words);
    return svg.str();
}

}  // namespace stiefel::cli
