#include "stiefel/cli/report/residual_plot.hpp"

#include "stiefel/cli/report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiefel::cli {

namespace {

// The drawing, in its own units.
constexpr double width = 760, height = 340;
constexpr double left = 72, right = width - 16, top = 16, bottom = height - 44;

/// 1, 2 or 5 times a power of ten, so that about `count` steps cover the range.
double nice_step(double range, int count) {
    const double raw = range / count;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    for (double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= raw) return factor * power;
    }
    return 10 * power;
}

/// Iterations along x, decades along y (upwards).
struct Frame {
    double last_iteration;
    double low;  ///< log10 at the bottom
    double high;

    double x(double iteration) const { return left + (right - left) * iteration / last_iteration; }
    double y(double decade) const { return bottom - (bottom - top) * (decade - low) / (high - low); }
};

Frame frame_of(const std::vector<std::pair<double, double>>& points, double target, double last_iteration) {
    double low = target > 0 ? std::log10(target) : 0;
    double high = low;
    if (!points.empty() && target <= 0) low = high = std::log10(points.front().second);
    for (const auto& [iteration, residual] : points) {
        low = std::min(low, std::log10(residual));
        high = std::max(high, std::log10(residual));
    }
    return {std::max(1.0, last_iteration), std::floor(low), std::max(std::ceil(high), std::floor(low) + 1)};
}

std::string axes(const Frame& frame) {
    std::string svg;
    const double decade_step = std::max(1.0, std::ceil((frame.high - frame.low) / 10));
    for (double decade = frame.high; decade >= frame.low; decade -= decade_step) {
        const double y = frame.y(decade);
        svg += fmt::format(R"(<path class="grid" d="M{:.1f} {:.1f}H{:.1f}"/>)", left, y, right);
        svg += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end">1e{:.0f}</text>)", left - 8, y + 4, decade);
    }
    const double step = std::max(1.0, nice_step(frame.last_iteration, 8));
    bool is_between = false;  // every second number, for which narrow screens have no room
    for (double iteration = 0; iteration <= frame.last_iteration; iteration += step, is_between = !is_between) {
        const double x = frame.x(iteration);
        svg += fmt::format(R"(<path class="axis" d="M{:.1f} {:.1f}v5"/>)", x, bottom);
        svg += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle"{}>{}</text>)", x, bottom + 20,
                           is_between ? R"( class="between")" : "", grouped(static_cast<Size>(iteration)));
    }
    svg += fmt::format(R"(<path class="axis" d="M{0:.1f} {1:.1f}V{2:.1f}H{3:.1f}"/>)", left, top, bottom, right);
    svg += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end">iteration</text>)", right, bottom + 38);
    return svg;
}

}  // namespace

std::vector<std::pair<double, double>> thinned(std::span<const double> history, std::size_t n_buckets) {
    const std::size_t bucket = std::max<std::size_t>(1, history.size() / std::max<std::size_t>(1, n_buckets));
    const auto is_shown = [&](std::size_t k) { return history[k] > 0 && std::isfinite(history[k]); };
    std::vector<std::pair<double, double>> points;
    const auto keep = [&](std::size_t k) { points.emplace_back(static_cast<double>(k), history[k]); };
    for (std::size_t begin = 0; begin < history.size(); begin += bucket) {
        const std::size_t end = std::min(begin + bucket, history.size());
        std::size_t least = end, greatest = end;
        for (std::size_t k = begin; k < end; ++k) {
            if (!is_shown(k)) continue;
            if (least == end || history[k] < history[least]) least = k;
            if (greatest == end || history[k] > history[greatest]) greatest = k;
        }
        if (least == end) continue;
        keep(std::min(least, greatest));
        if (least != greatest) keep(std::max(least, greatest));
    }
    return points;
}

std::string residual_svg(std::span<const double> history, double target) {
    const auto points = thinned(history, 600);
    const Frame frame = frame_of(points, target, static_cast<double>(history.size()) - 1);
    std::string svg = fmt::format(
        R"(<svg viewBox="0 0 {:.0f} {:.0f}" role="img" aria-label="relative residual over the iterations">)", width,
        height);
    svg += axes(frame);
    if (target > 0) {
        const double y = frame.y(std::log10(target));
        svg += fmt::format(R"(<path class="target" d="M{:.1f} {:.1f}H{:.1f}"/>)", left, y, right);
        svg +=
            fmt::format(R"(<text x="{:.1f}" y="{:.1f}">tolerance {}</text>)", left + 8, y - 6, format_residual(target));
    }
    svg += R"(<path class="curve" d=")";
    for (std::size_t k = 0; k < points.size(); ++k) {
        svg += fmt::format("{}{:.1f} {:.1f}", k == 0 ? 'M' : 'L', frame.x(points[k].first),
                           frame.y(std::log10(points[k].second)));
    }
    return svg + R"("/></svg>)";
}

}  // namespace stiefel::cli
