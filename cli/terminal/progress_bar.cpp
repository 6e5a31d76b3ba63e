#include "stiefel/cli/terminal/progress_bar.hpp"

#include "stiefel/cli/report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiefel::cli {

namespace {

constexpr double first_shown = 0.3;  // seconds: a shorter solve shows no bar
constexpr double interval = 0.1;
constexpr int narrowest_bar = 10;
constexpr int widest_bar = 40;
constexpr double longest_eta = 100 * 3600.0;  // beyond, a number would only pretend to know

std::string bar_text(double fraction, int cells) {
    const int full = std::clamp(static_cast<int>(std::floor(fraction * cells)), 0, cells);
    return fmt::format("[{}{}]", std::string(static_cast<std::size_t>(full), '#'),
                       std::string(static_cast<std::size_t>(cells - full), '-'));
}

std::string eta_text(std::optional<double> seconds) {
    return seconds && *seconds < longest_eta ? format_seconds(*seconds) : "?";
}

}  // namespace

std::string progress_text(const Progress& p, int width) {
    const std::string percent = fmt::format("{:3.0f} %", std::floor(100 * p.fraction));
    const std::string residual = fmt::format("  residual {:.1e}", unsigned_nan(p.relative_residual));
    const std::string goal = fmt::format(" (to {:.0e})", p.target);
    const std::string iteration = fmt::format("  iteration {}", grouped(p.iteration));
    const std::string eta = fmt::format("  eta {:<9}", eta_text(p.remaining_seconds));

    const std::string versions[] = {percent + iteration + residual + goal + eta, percent + residual + goal + eta,
                                    percent + residual + eta, percent + residual};
    for (const std::string& text : versions) {
        const int room = width - static_cast<int>(text.size()) - 3;  // brackets and a blank
        if (room >= narrowest_bar) return fmt::format("{} {}", bar_text(p.fraction, std::min(room, widest_bar)), text);
    }
    return percent;
}

void ProgressBar::update(Size iteration, double relative_residual) {
    if (!line_.is_shown()) return;
    const double now = since_start_.seconds();
    if (now < next_) return;
    next_ = now + interval;
    forecast_.observe(iteration, relative_residual, now);
    if (now < first_shown) return;
    line_.show(progress_text({.iteration = iteration,
                              .relative_residual = relative_residual,
                              .target = target_,
                              .fraction = forecast_.fraction(),
                              .remaining_seconds = forecast_.remaining_seconds()},
                             line_.width() - 1));
}

}  // namespace stiefel::cli
