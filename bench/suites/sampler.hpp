#pragma once

#include <functional>
#include <vector>

namespace stiefel::bench {

/// Thrown where a signal has asked the suite to end: what is being measured is dropped, what was measured is kept.
struct Interrupted {};

struct SampleLimits {
    int most = 20;
    int least = 3;
    double seconds = 2;  ///< that a case may take beyond the least number
};

/// Rounded to six significant digits: clocks tell no more, and files stay short.
double six_digits(double value);

/// Takes the samples of a case.
class Sampler {
public:
    /// stops: whether the suite has been asked to end.
    Sampler(SampleLimits limits, std::function<bool()> stops) : limits_(limits), stops_(std::move(stops)) {}

    /// Appends what `sample` returns, seconds, until there are enough. Throws Interrupted.
    void take(const std::function<double()>& sample, std::vector<double>& seconds) const;

    const SampleLimits& limits() const { return limits_; }

private:
    SampleLimits limits_;
    std::function<bool()> stops_;
};

}  // namespace stiefel::bench
