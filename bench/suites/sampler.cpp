#include "bench/suites/sampler.hpp"

#include <cmath>

namespace stiefel::bench {

double six_digits(double value) {
    if (!std::isfinite(value) || value == 0) return value;
    const double unit = std::pow(10.0, 5 - std::floor(std::log10(std::abs(value))));
    return std::isfinite(unit) ? std::round(value * unit) / unit : value;
}

void Sampler::take(const std::function<double()>& sample, std::vector<double>& seconds) const {
    double total = 0;
    for (int taken = 0; taken < limits_.most && (taken < limits_.least || total < limits_.seconds); ++taken) {
        if (stops_()) throw Interrupted();
        const double time = sample();
        total += time;
        seconds.push_back(six_digits(time));
    }
    if (stops_()) throw Interrupted();  // what a signal came into may be longer than it was
}

}  // namespace stiefel::bench
