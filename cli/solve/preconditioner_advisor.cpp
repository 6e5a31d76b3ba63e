#include "stiefel/cli/solve/preconditioner_advisor.hpp"

#include "stiefel/cli/report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

namespace stiefel::cli {

namespace {

/// Where no end is in sight, it is at least as far as this.
constexpr double out_of_sight = 10000;
/// While it cannot be told what the strong one still needs, it may take this share of the light one's time.
constexpr double blind_share = 0.1;
/// Where a strong one fails, the last resort may take so many times as long as that ran.
constexpr double patience_for_last = 10;

/// From the square root of the condition number to the iterations that are to be expected at the least. Too many for
/// smooth right-hand sides on small grids (half of them are needed), where a wrong guess costs little: see
/// docs/choose_a_preconditioner.md.
double iterations_where_grown(double growth) {
    constexpr double a_growth = 60;
    return a_growth * growth;
}

/// Where the residual falls in jumps, the later half may be one between them. When all early looks are past, where it
/// creeps before it falls in earnest: of 73 runs half as many again as the mean of all says are off by 2.5 in the mean
/// after 170, those of the later half alone by 3.1, and on a 5-point grid of 300^2 three times too many.
double iterations_expected(const ConvergenceForecast& forecast, Size iteration, bool is_steady) {
    constexpr double creeping = 1.5;
    const bool is_past_looks = iteration > PreconditionerAdvisor::light_looks.back();
    const double at_last = forecast.iterations_to_target().value_or(out_of_sight);
    const double in_all = forecast.iterations_at_mean_rate().value_or(out_of_sight);
    if (is_past_looks) return std::min(at_last, creeping * in_all);
    return is_steady ? at_last : std::min(at_last, in_all);
}

Size look_after(Size look) {
    return look + look / 2;
}

std::vector<Size> in_order(std::vector<Size> looks) {
    std::ranges::sort(looks);
    looks.erase(std::ranges::unique(looks).begin(), looks.end());
    return looks;
}

/// Two digits are more than such a forecast is worth.
std::string roughly(double iterations) {
    if (iterations >= out_of_sight) return "more than " + grouped(static_cast<Size>(out_of_sight));
    const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(std::max(1.0, iterations))) - 1));
    return "some " + grouped(static_cast<Size>(std::round(iterations / unit) * unit));
}

std::string what_was_expected(Size iteration, const std::optional<double>& needed) {
    return fmt::format("after {} iterations {}", iteration,
                       needed ? roughly(*needed) + " more were to be expected" : "no end was in sight");
}

}  // namespace

PreconditionerAdvisor::PreconditionerAdvisor(double target, Size max_iterations, std::string_view light,
                                             std::vector<Strong> strong)
    : target_(target),
      max_iterations_(max_iterations),
      light_(light),
      strong_(std::move(strong)),
      forecast_(target, max_iterations) {
    next_look_ = first_look();
    weighed_.push_back({.name = std::string(light_)});
    for (const Strong& one : strong_) weighed_.push_back({.name = std::string(one.name)});
}

void PreconditionerAdvisor::begin_with(std::string_view strong, double iterations, double seconds, std::string why) {
    chosen_ = strong;
    light_iterations_ = iterations;
    light_seconds_ = seconds;
    reason_ = std::move(why);
    is_watched_ = false;
    stage_ = Stage::strong;
    next_look_ = first_look();
    weigh_light(0, true);
    for (std::size_t k = 0; k < strong_.size(); ++k) {
        if (strong_[k].name != strong) continue;
        seconds_closer(strong_[k], std::numeric_limits<double>::infinity(), iterations);
        weighed_[k + 1] = weighed_as(strong_[k], 0);
    }
}

std::vector<Size> PreconditionerAdvisor::looks() const {
    if (is_settled()) return {};
    std::vector<Size> looks;
    const auto append_doubled = [this](std::vector<Size>& to, Size from) {
        for (Size look = from; look < max_iterations_; look *= 2) to.push_back(look);
    };
    if (stage_ == Stage::light_at_first) {
        const auto is_early = [](const Strong& strong) { return !strong.is_last_resort; };
        if (std::ranges::any_of(strong_, is_early)) looks.push_back(light_looks.front());
        for (const Strong& strong : strong_) {
            std::copy_if(light_looks.begin(), light_looks.end(), std::back_inserter(looks),
                         [&](Size look) { return look > strong.from; });
            for (const Size own : {strong.from, strong.again, strong.where_hopeless}) {
                if (own > 0) looks.push_back(own);
            }
            if (strong.is_last_resort) append_doubled(looks, strong.from);
        }
        return in_order(std::move(looks));
    }
    if (is_watched_) {
        for (Size look = watched_from; look < max_iterations_; look = look_after(look)) looks.push_back(look);
    }
    if (const Strong* const last = last_resort()) {
        if (last->where_hopeless > 0) looks.push_back(last->where_hopeless);
        append_doubled(looks, last->from);
    }
    return in_order(std::move(looks));
}

Size PreconditionerAdvisor::first_look() const {
    const std::vector<Size> all = looks();
    return all.empty() ? std::numeric_limits<Size>::max() : all.front();
}

bool PreconditionerAdvisor::gives_way(Size iteration, double relative_residual, double seconds) {
    if (is_settled() || !(relative_residual > target_)) return false;
    if (iteration == 0) first_residual_ = relative_residual;
    forecast_.observe(iteration, relative_residual, seconds);
    if (iteration < next_look_) return false;
    if (stage_ == Stage::light_at_first) return light_gives_way(iteration, relative_residual, seconds);
    const std::vector<Size> all = looks();
    const auto next = std::ranges::upper_bound(all, iteration);
    next_look_ = next != all.end() ? *next : std::numeric_limits<Size>::max();
    if (last_resort_repays(iteration, seconds)) {
        take_last_resort(what_was_expected(iteration, forecast_.iterations_to_target()));
        return true;
    }
    return is_watched_ && strong_gives_way(iteration, relative_residual, seconds);
}

bool PreconditionerAdvisor::light_gives_way(Size iteration, double relative_residual, double seconds) {
    const bool is_late = iteration >= light_looks.back();
    const bool is_steady = iteration > light_looks.front() && forecast_.falls_steadily();
    const double growth = relative_residual / first_residual_;
    has_grown_ = growth > 1 && !is_late;
    const double by_growth = has_grown_ ? iterations_where_grown(growth) : 0;
    const bool has_rate = is_steady || !has_grown_;
    const double by_rate = has_rate ? iterations_expected(forecast_, iteration, is_steady) : 0;
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
    next_look_ = first_look();
    forecast_ = ConvergenceForecast(target_, max_iterations_);
    return gives_way;
}

void PreconditionerAdvisor::weigh_light(Size iteration, bool at_least) {
    weighed_[0] = {.name = weighed_[0].name,
                   .after = iteration,
                   .iterations = light_iterations_,
                   .expected_seconds = light_iterations_ * light_seconds_,
                   .as_long_as = light_iterations_,
                   .at_least = at_least};
}

void PreconditionerAdvisor::weigh(Size iteration) {
    weigh_light(iteration, light_iterations_ >= out_of_sight);
    for (std::size_t k = 0; k < strong_.size(); ++k) {
        const Strong& strong = strong_[k];
        if (is_considered(strong, iteration)) weighed_[k + 1] = weighed_as(strong, iteration);
    }
}

WeighedPreconditioner PreconditionerAdvisor::weighed_as(const Strong& strong, std::optional<Size> after) const {
    return {.name = std::string(strong.name),
            .after = after,
            .expected_setup_seconds = strong.cost.setup,
            .expected_seconds = seconds_of(strong),
            .as_long_as = seconds_of(strong) / light_seconds_,
            .at_least = strong.closer && !strong.is_exact};
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
        const double own = seconds_closer(strong, least, light_iterations_);
        if (own >= least) continue;
        least = own;
        chosen_ = strong.name;
        is_watched_ = strong.is_watched;
    }
}

double PreconditionerAdvisor::seconds_closer(Strong& strong, double seconds, double light_iterations) {
    if (strong.closer && !strong.is_exact && seconds_of(strong) < seconds) {
        const Estimate estimate = strong.closer(light_iterations, has_grown_);
        strong.cost = estimate.cost;
        strong.is_exact = estimate.is_exact;
    }
    return seconds_of(strong);
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
    refuse_strong(what_was_expected(iteration, needed));
    return true;
}

bool PreconditionerAdvisor::last_resort_repays(Size iteration, double seconds) {
    Strong* const last = last_resort();
    if (last == nullptr || !is_considered(*last, iteration)) return false;
    const double needed = forecast_.iterations_to_target().value_or(out_of_sight);
    const double left = needed * seconds / static_cast<double>(iteration);
    return seconds_closer(*last, left, left / light_seconds_) < left;
}

void PreconditionerAdvisor::take_last_resort(std::string_view why) {
    const std::string_view before = chosen_;
    const Strong& last = *last_resort();
    for (WeighedPreconditioner& one : weighed_) {
        if (one.name == last.name) one = weighed_as(last, weighed_.front().after);
    }
    chosen_ = last.name;
    reason_ += fmt::format("{}{} gave way to {}: {}", reason_.empty() ? "" : "; ", before, chosen_, why);
    is_watched_ = false;
    stage_ = Stage::strong;
    forecast_ = ConvergenceForecast(target_, max_iterations_);
}

bool PreconditionerAdvisor::takes_last_resort(std::string_view why, double seconds) {
    Strong* const last = has_last_resort() ? last_resort() : nullptr;
    const double most = patience_for_last * seconds;
    if (last == nullptr || seconds_closer(*last, most, most / light_seconds_) >= most) return false;
    take_last_resort(why);
    return true;
}

double PreconditionerAdvisor::expected_iterations() const {
    return forecast_.iterations_to_target().value_or(out_of_sight);
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
