#include "stiefel/cli/terminal/convergence_forecast.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiefel::cli {

void ConvergenceForecast::observe(Size iteration, double relative_residual, double seconds) {
    if (!(relative_residual > 0) || !std::isfinite(relative_residual)) return;
    const double log_residual = std::log(relative_residual);
    const double log_best = samples_.empty() ? log_residual : std::min(samples_.back().log_best, log_residual);
    samples_.push_back({iteration, log_best, seconds});

    const double way = samples_.front().log_best - std::log(target_);
    const double gone = samples_.front().log_best - log_best;
    const double by_residual = target_ > 0 && way > 0 ? gone / way : 0;
    const double by_count = static_cast<double>(iteration) / static_cast<double>(std::max<Size>(1, max_iterations_));
    fraction_ = std::clamp(std::max(by_residual, by_count), fraction_, 1.0);
}

std::optional<double> ConvergenceForecast::iterations_to_target() const {
    return iterations_at_rate_since(0.5);
}

std::optional<double> ConvergenceForecast::iterations_at_mean_rate() const {
    return iterations_at_rate_since(0);
}

std::optional<double> ConvergenceForecast::iterations_at_rate_since(double share) const {
    if (samples_.empty()) return {};
    const Sample& now = samples_.back();
    const Sample& then = since(share);
    const double gained = then.log_best - now.log_best;
    if (!(gained > 0) || !(target_ > 0)) return {};
    const double missing = std::max(0.0, now.log_best - std::log(target_));
    return missing / gained * static_cast<double>(now.iteration - then.iteration);
}

bool ConvergenceForecast::falls_steadily() const {
    constexpr double most = 4;
    if (samples_.empty()) return false;
    const double before = since(0.75).log_best;
    const double first = since(0.5).log_best - before, second = before - samples_.back().log_best;
    return first > 0 && second > 0 && first <= most * second && second <= most * first;
}

const ConvergenceForecast::Sample& ConvergenceForecast::since(double share) const {
    const Size from = static_cast<Size>(share * static_cast<double>(samples_.back().iteration));
    return *std::partition_point(samples_.begin(), samples_.end(), [&](const Sample& s) { return s.iteration < from; });
}

double ConvergenceForecast::best_residual() const {
    return samples_.empty() ? std::numeric_limits<double>::infinity() : std::exp(samples_.back().log_best);
}

std::optional<ConvergenceForecast::Remaining> ConvergenceForecast::remaining() const {
    if (samples_.size() < 2) return {};
    const Sample& now = samples_.back();
    const Size done = now.iteration - samples_.front().iteration;
    if (done <= 0) return {};
    const double seconds_each = (now.seconds - samples_.front().seconds) / static_cast<double>(done);
    const double to_max_iterations = static_cast<double>(max_iterations_ - now.iteration) * seconds_each;
    const double to_limit = std::min(to_max_iterations, std::max(0.0, time_limit_ - now.seconds));
    const auto iterations = iterations_to_target();
    if (!iterations || to_limit < *iterations * seconds_each) return Remaining{to_limit, true};
    return Remaining{*iterations * seconds_each, false};
}

}  // namespace stiefel::cli
