#include "stiefel/cli/terminal/progress_bar.hpp"

#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/terminal/bar.hpp"

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

std::string eta_text(const std::optional<ConvergenceForecast::Remaining>& remaining) {
    if (!remaining || remaining->seconds >= longest_eta) return "eta ?";
    return fmt::format("{} {}", remaining->is_limit ? "limit in" : "eta", format_seconds(remaining->seconds));
}

}  // namespace

std::string progress_text(const Progress& p, int width) {
    const std::string percent = fmt::format("{:3.0f} %", std::floor(100 * p.fraction));
    const std::string iteration = fmt::format("iteration {}", grouped(p.iteration));
    const std::string residual = fmt::format("  residual {:.1e}", unsigned_nan(p.relative_residual));
    const std::string best = fmt::format("  best {:.1e}", p.best_residual);
    const std::string goal = fmt::format(" (to {:.0e})", p.target);
    const std::string eta =
        fmt::format("  {:<13}", eta_text(p.remaining));  // as wide as most are, so that all stay put

    const std::string after_bar = percent + "  " + iteration;
    for (const std::string& text :
         {after_bar + residual + best + goal + eta, after_bar + best + goal + eta, after_bar + best + eta}) {
        const int room = width - static_cast<int>(text.size()) - 3;  // brackets and a blank
        if (room >= narrowest_bar) return fmt::format("{} {}", bar_text(p.fraction, std::min(room, widest_bar)), text);
    }
    for (const std::string& text : {iteration + best + eta, iteration + best + "  " + percent, iteration + best}) {
        if (static_cast<int>(text.size()) <= width) return text;
    }
    return iteration;
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
                              .best_residual = forecast_.best_residual(),
                              .target = target_,
                              .fraction = forecast_.fraction(),
                              .remaining = forecast_.remaining()},
                             line_.width() - 1));
}

}  // namespace stiefel::cli
