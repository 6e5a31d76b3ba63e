#include "stiefel/cli/solve/preconditioner_advisor.hpp"

#include "stiefel/cli/report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

namespace stiefel::cli {

namespace {

/// Where no end is in sight, it is at least as far as this.
constexpr double out_of_sight = 10000;
/// While it cannot be told what the strong one still needs, it may take this share of the light one's time.
constexpr double blind_share = 0.1;

/// From the square root of the condition number to the iterations that are to be expected at the least. Too many for
/// smooth right-hand sides on small grids (half of them are needed), where a wrong guess costs little: see
/// docs/choose_a_preconditioner.md.
double iterations_where_grown(double growth) {
    constexpr double a_growth = 60;
    return a_growth * growth;
}

/// Where the residual falls in jumps, the later half may be one between them.
double iterations_expected(const ConvergenceForecast& forecast, bool is_steady) {
    const double at_last = forecast.iterations_to_target().value_or(out_of_sight);
    return is_steady ? at_last : std::min(at_last, forecast.iterations_at_mean_rate().value_or(out_of_sight));
}

Size look_after(Size look) {
    return look + look / 2;
}

/// Two digits are more than such a forecast is worth.
std::string roughly(double iterations) {
    if (iterations >= out_of_sight) return "more than " + grouped(static_cast<Size>(out_of_sight));
    const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(std::max(1.0, iterations))) - 1));
    return "some " + grouped(static_cast<Size>(std::round(iterations / unit) * unit));
}

}  // namespace

PreconditionerAdvisor::PreconditionerAdvisor(double target, Size max_iterations, std::string_view light,
                                             std::vector<Strong> strong)
    : target_(target),
      max_iterations_(max_iterations),
      light_(light),
      strong_(std::move(strong)),
      forecast_(target, max_iterations) {
    next_look_ = looks().front();
    weighed_.push_back({.name = std::string(light_)});
    for (const Strong& one : strong_) weighed_.push_back({.name = std::string(one.name)});
}

std::vector<Size> PreconditionerAdvisor::looks() const {
    if (is_settled()) return {};
    std::vector<Size> looks;
    if (stage_ == Stage::light_at_first) {
        looks.push_back(light_looks.front());
        for (const Strong& strong : strong_) {
            std::copy_if(light_looks.begin(), light_looks.end(), std::back_inserter(looks),
                         [&](Size look) { return look > strong.from; });
            for (const Size own : {strong.from, strong.again}) {
                if (own > 0) looks.push_back(own);
            }
        }
        std::sort(looks.begin(), looks.end());
        looks.erase(std::unique(looks.begin(), looks.end()), looks.end());
        return looks;
    }
    for (Size look = watched_from; look < max_iterations_; look = look_after(look)) looks.push_back(look);
    return looks;
}

bool PreconditionerAdvisor::gives_way(Size iteration, double relative_residual, double seconds) {
    if (is_settled() || !(relative_residual > target_)) return false;
    if (iteration == 0) first_residual_ = relative_residual;
    forecast_.observe(iteration, relative_residual, seconds);
    if (iteration < next_look_) return false;
    if (stage_ == Stage::light_at_first) return light_gives_way(iteration, relative_residual, seconds);
    next_look_ = look_after(next_look_);
    return strong_gives_way(iteration, relative_residual, seconds);
}

bool PreconditionerAdvisor::light_gives_way(Size iteration, double relative_residual, double seconds) {
    const bool is_late = iteration >= light_looks.back();
    const bool is_steady = iteration > light_looks.front() && forecast_.falls_steadily();
    const double growth = relative_residual / first_residual_;
    has_grown_ = growth > 1 && !is_late;
    const double by_growth = has_grown_ ? iterations_where_grown(growth) : 0;
    const bool has_rate = is_steady || !has_grown_;
    const double by_rate = has_rate ? iterations_expected(forecast_, is_steady) : 0;
    light_iterations_ = std::min(std::max(by_rate, by_growth), out_of_sight);
    light_way_ = std::log(forecast_.best_residual() / target_);
    light_seconds_ = seconds / static_cast<double>(iteration);
    if (is_late || (may_repay(iteration) && (is_steady || has_grown_))) choose(iteration);
    weigh(iteration);
    if (is_late || !chosen_.empty()) say(iteration);
    const std::vector<Size> all = looks();
    if (const auto next = std::upper_bound(all.begin(), all.end(), iteration); chosen_.empty() && next != all.end()) {
        next_look_ = *next;
        return false;
    }
    const bool gives_way = !chosen_.empty();
    stage_ = gives_way ? Stage::strong : Stage::decided;
    next_look_ = watched_from;
    forecast_ = ConvergenceForecast(target_, max_iterations_);
    return gives_way;
}

void PreconditionerAdvisor::weigh(Size iteration) {
    weighed_[0] = {.name = weighed_[0].name,
                   .after = iteration,
                   .iterations = light_iterations_,
                   .expected_seconds = light_iterations_ * light_seconds_,
                   .as_long_as = light_iterations_,
                   .at_least = light_iterations_ >= out_of_sight};
    for (std::size_t k = 0; k < strong_.size(); ++k) {
        const Strong& strong = strong_[k];
        if (!is_considered(strong, iteration)) continue;
        weighed_[k + 1] = {.name = weighed_[k + 1].name,
                           .after = iteration,
                           .expected_setup_seconds = strong.cost.setup,
                           .expected_seconds = seconds_of(strong),
                           .as_long_as = seconds_of(strong) / light_seconds_,
                           .at_least = strong.closer && !strong.is_exact};
    }
}

void PreconditionerAdvisor::say(Size iteration) {
    reason_ = fmt::format("after {} iterations with {} preconditioner {} more were to be expected{}", iteration,
                          light_ == "none" ? "no" : light_, roughly(light_iterations_), considered(iteration));
}

bool PreconditionerAdvisor::may_repay(Size iteration) const {
    return std::any_of(strong_.begin(), strong_.end(), [&](const Strong& strong) {
        return is_considered(strong, iteration) && seconds_of(strong) < light_iterations_ * light_seconds_;
    });
}

void PreconditionerAdvisor::choose(Size iteration) {
    double least = light_iterations_ * light_seconds_;
    for (Strong& strong : strong_) {
        if (!is_considered(strong, iteration)) continue;
        if (strong.closer && !strong.is_exact && seconds_of(strong) < least) {
            const Estimate estimate = strong.closer(light_iterations_, has_grown_);
            strong.cost = estimate.cost;
            strong.is_exact = estimate.is_exact;
        }
        if (seconds_of(strong) >= least) continue;
        least = seconds_of(strong);
        chosen_ = strong.name;
        is_watched_ = strong.is_watched;
    }
}

std::string PreconditionerAdvisor::considered(Size iteration) const {
    std::string text;
    if (chosen_.empty()) {
        for (const Strong& strong : strong_) {
            if (!is_considered(strong, iteration)) continue;
            text += fmt::format("{}{} (as long as {}{})", text.empty() ? ", too few for " : " or ", strong.name,
                                strong.closer && !strong.is_exact ? "at least " : "",
                                roughly(seconds_of(strong) / light_seconds_));
        }
        return text;
    }
    for (const Strong& strong : strong_) {
        if (!strong.is_exact) continue;
        text += fmt::format("; what {} still needs was to take as long as {}", strong.name,
                            roughly(seconds_of(strong) / light_seconds_));
    }
    return text;
}

bool PreconditionerAdvisor::strong_gives_way(Size iteration, double relative_residual, double seconds) {
    const double way = std::max(0.0, std::log(relative_residual / target_));
    const double light = light_seconds_ * light_iterations_ * way / light_way_;
    const std::optional<double> needed = forecast_.iterations_to_target();
    const double each = seconds / static_cast<double>(iteration);
    if (needed ? *needed * each <= patience * light : seconds <= blind_share * light) return false;
    refuse_strong(fmt::format("after {} iterations {}", iteration,
                              needed ? roughly(*needed) + " more were to be expected" : "no end was in sight"));
    return true;
}

void PreconditionerAdvisor::end_solve() {
    if (stage_ == Stage::strong) stage_ = Stage::decided;
    forecast_ = ConvergenceForecast(target_, max_iterations_);
}

void PreconditionerAdvisor::refuse_strong(std::string_view why) {
    reason_ += fmt::format("{}{} was given up: {}", reason_.empty() ? "" : "; ", chosen_, why);
    stage_ = Stage::decided;
}

}  // namespace stiefel::cli
