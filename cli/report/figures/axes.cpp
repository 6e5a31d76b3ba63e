#include "stiefel/cli/report/figures/axes.hpp"

#include "stiefel/cli/report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace stiefel::cli {

namespace {

std::string superscript(int number) {
    constexpr std::array<const char*, 10> digits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string text;
    for (const char c : fmt::format("{}", number)) text += c == '-' ? "⁻" : digits[static_cast<std::size_t>(c - '0')];
    return text;
}

/// 1, 2 or 5 times a power of ten, so that at most `most` steps cover the range.
double nice_step(double range, int most) {
    const double raw = range / most;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    for (double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= raw * (1 - 1e-9)) return factor * power;
    }
    return 10 * power;
}

}  // namespace

std::string decade_text(int exponent) {
    if (exponent >= -2 && exponent <= 4) return fmt::format("{:g}", std::pow(10.0, exponent));
    return "10" + superscript(exponent);
}

std::string compact(double count) {
    if (count < 9999.5) return grouped(std::llround(count));
    if (count < 999.5e3) return fmt::format("{:.3g}k", count * 1e-3);
    return count < 999.5e6 ? fmt::format("{:.3g}M", count * 1e-6) : fmt::format("{:.3g}G", count * 1e-9);
}

std::vector<Tick> decade_ticks(double low, double high, int most) {
    const int top = static_cast<int>(std::floor(high + 1e-9)), bottom = static_cast<int>(std::ceil(low - 1e-9));
    const int step = std::max(1, (top - bottom + most) / most);
    std::vector<Tick> ticks;
    for (int exponent = top; exponent >= bottom; exponent -= step)
        ticks.push_back({1.0 * exponent, decade_text(exponent)});
    return ticks;
}

std::vector<Tick> log_ticks(double low, double high, int most) {
    std::vector<Tick> ticks;
    for (int exponent = static_cast<int>(std::floor(low)); exponent <= high; ++exponent) {
        for (const double factor : {1.0, 2.0, 5.0}) {
            const double at = exponent + std::log10(factor);
            if (at < low - 1e-9 || at > high + 1e-9) continue;
            const bool is_plain = exponent >= -3 && exponent <= 4;
            const double value = factor * std::pow(10.0, exponent);
            if (is_plain)
                ticks.push_back({at, value < 1 ? fmt::format("{:.4g}", value) : grouped(std::llround(value))});
            if (!is_plain) ticks.push_back({at, fmt::format("{:g}·{}", factor, decade_text(exponent))});
        }
    }
    return ticks.size() <= static_cast<std::size_t>(most) ? ticks : decade_ticks(low, high, most);
}

std::vector<Tick> even_ticks(double high, int most, bool whole) {
    if (!(high > 0)) return {{0, "0"}};
    const double step = whole ? std::max(1.0, nice_step(high, most)) : nice_step(high, most);
    std::vector<Tick> ticks;
    for (int k = 0; k * step <= high * (1 + 1e-9); ++k) {
        const double value = k * step;
        ticks.push_back({value, whole ? compact(value) : fmt::format("{:.6g}", value)});
    }
    return ticks;
}

TimeUnit time_unit(double seconds) {
    if (seconds >= 1) return {"s", 1};
    return seconds >= 1e-3 ? TimeUnit{"ms", 1e-3} : TimeUnit{"µs", 1e-6};
}

void Frame::draw(Svg& svg, const std::vector<Tick>& x_ticks, std::string_view x_title, const std::vector<Tick>& y_ticks,
                 std::string_view y_title) const {
    using Anchor = Svg::Anchor;
    for (const Tick& tick : y_ticks) {
        svg.line("grid", x.begin, y.at(tick.value), x.end, y.at(tick.value));
        svg.text(x.begin - 7, y.at(tick.value) + 4, Anchor::end, tick.label);
    }
    for (const Tick& tick : x_ticks) {
        svg.line("axis", x.at(tick.value), y.begin, x.at(tick.value), y.begin + 5);
        svg.text(x.at(tick.value), y.begin + 18, Anchor::middle, tick.label);
    }
    svg.path("axis", fmt::format("M{} {}V{}H{}", coordinate(x.begin), coordinate(y.end), coordinate(y.begin),
                                 coordinate(x.end)));
    svg.text(x.end, y.begin + 35, Anchor::end, x_title, "name");
    svg.text(0, 14, Anchor::start, y_title, "name");
}

}  // namespace stiefel::cli
