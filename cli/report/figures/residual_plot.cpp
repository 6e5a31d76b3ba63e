#include "stiefel/cli/report/figures/residual_plot.hpp"

#include "stiefel/cli/report/figures/axes.hpp"
#include "stiefel/cli/report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

namespace stiefel::cli {

namespace {

using Points = std::vector<std::pair<double, double>>;

/// What is drawn along x.
struct Abscissa {
    std::string name;                       ///< unique in the page
    std::string words;                      ///< "over the iterations"
    std::string title;                      ///< of the axis
    std::string span;                       ///< all of it: "312 iterations"
    double end = 1;                         ///< the last value shown
    std::vector<Tick> ticks = {};           ///< in values
    std::function<double(double)> of = {};  ///< from an index into the history
};

/// A curve for each solve, in (index, residual).
std::vector<Points> curves_of(const ResidualPlot& plot) {
    std::vector<Size> ends(plot.starts);
    std::erase_if(ends, [](Size at) { return at <= 0; });
    ends.push_back(static_cast<Size>(plot.history.size()));
    // A page stays small, however many solves there are.
    const std::size_t buckets = std::max<std::size_t>(4, 360 / ends.size());
    std::vector<Points> curves;
    Size begin = 0;
    for (const Size end : ends) {
        if (end <= begin) continue;
        Points points = thinned(
            plot.history.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)), buckets);
        for (auto& [index, residual] : points) index += static_cast<double>(begin);
        curves.push_back(std::move(points));
        begin = end;
    }
    return curves;
}

/// The decades that all curves and lines lie in.
std::pair<double, double> decades_of(const std::vector<Points>& curves, const ResidualPlot& plot) {
    std::optional<double> low, high;
    const auto include = [&](double value) {
        if (!(value > 0) || !std::isfinite(value)) return;
        low = std::min(low.value_or(std::log10(value)), std::log10(value));
        high = std::max(high.value_or(std::log10(value)), std::log10(value));
    };
    for (const Points& points : curves) {
        for (const auto& [index, residual] : points) {
            include(residual);
            include(residual * plot.error_factor);
        }
    }
    include(plot.target);
    include(plot.attainable);
    const double bottom = std::floor(low.value_or(0));
    return {bottom, std::max(std::ceil(high.value_or(0)), bottom + 1)};
}

/// A line across the frame, and what it stands for.
struct Level {
    double decade;
    const char* css_class;
    std::string label;
    double label_y = 0;
};

/// The lines, lowest first, their labels above them and above each other.
std::vector<Level> levels_of(const Frame& frame, const ResidualPlot& plot) {
    std::vector<Level> levels;
    const auto add = [&](double value, const char* css_class, const char* words) {
        if (!(value > 0) || !std::isfinite(value)) return;
        levels.push_back({std::log10(value), css_class, fmt::format("{} {}", words, format_residual(value))});
    };
    add(plot.target, "target", "asked for");
    add(plot.attainable, "limit", "rounding may leave");
    std::sort(levels.begin(), levels.end(), [](const Level& a, const Level& b) { return a.decade < b.decade; });
    double next = frame.y.begin;
    for (Level& level : levels) {
        level.label_y = std::min(frame.y.at(level.decade) - 5, next - 5);
        next = level.label_y - 9;
    }
    return levels;
}

void draw_curves(Svg& svg, const Frame& frame, const std::vector<Points>& curves, const Abscissa& abscissa,
                 double factor, const char* css_class) {
    std::string data, lone;
    for (const Points& points : curves) {
        char command = 'M';
        for (const auto& [index, residual] : points) {
            const double value = residual * factor;
            if (!std::isfinite(value)) continue;
            if (points.size() == 1) {  // a line without length, whose round ends are a dot
                lone += fmt::format("M{} {}h0", coordinate(frame.x.at(abscissa.of(index))),
                                    coordinate(frame.y.at(std::log10(value))));
            }
            data += fmt::format("{}{} {}", command, coordinate(frame.x.at(abscissa.of(index))),
                                coordinate(frame.y.at(std::log10(value))));
            command = 'L';
        }
    }
    if (!data.empty()) svg.path(css_class, data);
    if (!lone.empty()) svg.path(fmt::format("{} point", css_class), lone);
}

void draw_changes(Svg& svg, const Frame& frame, const ResidualPlot& plot, const Abscissa& abscissa) {
    for (const ResidualPlot::Change& change : plot.changes) {
        const double x = frame.x.at(abscissa.of(static_cast<double>(change.at)));
        const bool is_left = x < 0.5 * (frame.x.begin + frame.x.end);
        svg.line("change", x, frame.y.begin, x, frame.y.end);
        svg.text(is_left ? x + 4 : x - 4, frame.y.end - 5, is_left ? Svg::Anchor::start : Svg::Anchor::end,
                 is_left ? change.name + " →" : "→ " + change.name);
    }
}

/// "From 1 to 9.7e-09 in 312 iterations. Asked for was 1e-08."
std::string description(const ResidualPlot& plot, const Abscissa& abscissa) {
    if (plot.history.empty()) return "Nothing was iterated.";
    std::string text = fmt::format("From {} to {} in {}.", format_residual(plot.history.front()),
                                   format_residual(plot.history.back()), abscissa.span);
    if (plot.target > 0) text += fmt::format(" Asked for was {}.", format_residual(plot.target));
    return text;
}

std::string drawn(const ResidualPlot& plot, const Abscissa& abscissa) {
    const std::vector<Points> curves = curves_of(plot);
    const auto [low, high] = decades_of(curves, plot);
    const Frame frame{.x = {0, abscissa.end, frame_left, frame_right}, .y = {low, high, frame_bottom, frame_top}};
    Svg svg(figure_width, figure_height, abscissa.name, fmt::format("{} {}", plot.quantity, abscissa.words),
            description(plot, abscissa));
    frame.draw(svg, abscissa.ticks, abscissa.title, decade_ticks(low, high, 8), plot.quantity);
    const std::vector<Level> levels = levels_of(frame, plot);
    for (const Level& level : levels) {
        svg.line(level.css_class, frame.x.begin, frame.y.at(level.decade), frame.x.end, frame.y.at(level.decade));
    }
    draw_changes(svg, frame, plot, abscissa);
    if (plot.error_factor > 0) draw_curves(svg, frame, curves, abscissa, plot.error_factor, "bound");
    draw_curves(svg, frame, curves, abscissa, 1, "curve");
    for (const Level& level : levels) {
        svg.text(frame.x.begin + 6, level.label_y, Svg::Anchor::start, level.label, "halo");
    }
    return svg.str();
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

std::string residual_svg(const ResidualPlot& plot) {
    const double last = std::max(1.0, static_cast<double>(plot.history.size()) - 1);
    return drawn(plot, {.name = "over-iterations",
                        .words = "over the iterations",
                        .title = "iteration",
                        .span = counted(static_cast<Size>(last), "iteration"),
                        .end = last,
                        .ticks = even_ticks(last, 5, true),
                        .of = [](double index) { return index; }});
}

std::string residual_svg(const ResidualPlot& plot, const IterationMarks& marks) {
    const double last = marks.seconds_at(static_cast<Size>(plot.history.size()) - 1);
    const TimeUnit unit = time_unit(last);
    const double end = last > 0 ? last / unit.seconds : 1;
    return drawn(plot,
                 {.name = "over-seconds",
                  .words = "over the time",
                  .title = fmt::format("time in {}", unit.name),
                  .span = format_seconds(last),
                  .end = end,
                  .ticks = even_ticks(end, 5, false),
                  .of = [&, unit](double index) { return marks.seconds_at(static_cast<Size>(index)) / unit.seconds; }});
}

}  // namespace stiefel::cli
