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
constexpr double line_height = 17;

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

/// What a roof allows, and where it turns level, in the logarithms of the axes.
double at(const Roof& roof, double intensity) {
    return std::log10(roof.at(std::pow(10, intensity)) * 1e-9);
}
double ridge_of(const Roof& roof) {
    return std::log10(roof.flops / roof.bandwidth);
}

/// As wide as the points are, and as the roof until it is level.
Frame frame_of(const std::vector<Point>& points, const Roof* roof) {
    auto [x_low, x_high] = range_of(points, &Point::intensity);
    auto [y_low, y_high] = range_of(points, &Point::rate);
    if (roof != nullptr) {
        const bool is_level = std::isfinite(roof->flops);
        if (is_level) x_high = std::max(x_high, ridge_of(*roof) + 0.4);
        y_low = std::min(y_low, at(*roof, x_low));
        y_high = std::max(y_high, at(*roof, x_high) + (is_level ? 0.15 : 0));
    }
    return {.x = {x_low, x_high, frame_left, right}, .y = {y_low, y_high, bottom, frame_top}};
}

double level_of(const Frame& frame, const Roof& roof) {
    return frame.y.at(std::log10(roof.flops * 1e-9));
}

/// Names at the right of the frame, in the order of the points' heights, each led to its point by a line; below that of
/// a roof's level.
void draw_names(Svg& svg, const Frame& frame, std::vector<Point> points, const Roof* roof) {
    const double highest =
        roof != nullptr && std::isfinite(roof->flops) ? level_of(frame, *roof) + line_height : frame_top;
    std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.rate > b.rate; });
    const double room = bottom - highest;
    const double step = std::min(line_height, room / static_cast<double>(points.size()));
    std::vector<double> places;
    for (const Point& point : points) {
        const double wanted = frame.y.at(point.rate);
        places.push_back(places.empty() ? std::max(wanted, highest) : std::max(wanted, places.back() + step));
    }
    double limit = bottom;
    for (auto place = places.rbegin(); place != places.rend(); ++place, limit -= step) *place = std::min(*place, limit);
    for (std::size_t k = 0; k < points.size(); ++k) {
        svg.line("leader", frame.x.at(points[k].intensity), frame.y.at(points[k].rate), right + 8, places[k]);
        svg.text(right + 11, places[k] + 4, Svg::Anchor::start, points[k].name);
    }
}

void draw_roof(Svg& svg, const Frame& frame, const Roof& roof) {
    const bool is_level = std::isfinite(roof.flops);
    const double ridge = is_level ? std::clamp(ridge_of(roof), frame.x.low, frame.x.high) : frame.x.high;
    if (ridge > frame.x.low) {
        svg.line("roof", frame.x.begin, frame.y.at(at(roof, frame.x.low)), frame.x.at(ridge),
                 frame.y.at(at(roof, ridge)));
    }
    svg.text(frame.x.begin + 6, frame_top + 2, Svg::Anchor::start,
             fmt::format("{}: {} GB/s", roof.name, format_rate(roof.bandwidth * 1e-9)), "halo roof-name");
    if (!is_level) return;
    const double level = level_of(frame, roof);
    svg.line("roof", frame.x.at(ridge), level, frame.x.end, level);
    const std::string rate = roof.flops < 1e13 ? fmt::format("{} GFLOP/s", format_rate(roof.flops * 1e-9))
                                               : fmt::format("{} TFLOP/s", format_rate(roof.flops * 1e-12));
    svg.text(right + 11, level + 4, Svg::Anchor::start, rate, "roof-name");
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
    const Frame frame = frame_of(points, roof ? &*roof : nullptr);
    Svg svg(figure_width, height, "roofline", "kernels against the roofline", description(points));
    frame.draw(svg, log_ticks(frame.x.low, frame.x.high, 7), "flops a byte", log_ticks(frame.y.low, frame.y.high, 8),
               "GFLOP/s");
    if (roof) draw_roof(svg, frame, *roof);
    draw_names(svg, frame, points, roof ? &*roof : nullptr);
    for (const Point& point : points)
        svg.dot("kernel", frame.x.at(point.intensity), frame.y.at(point.rate), point.words);
    return svg.str();
}

}  // namespace stiefel::cli
