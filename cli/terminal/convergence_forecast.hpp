#pragma once

#include "stiefel/core/types.hpp"

#include <optional>
#include <vector>

namespace stiefel::cli {

/// How far a solve has come and how long it will still take, from the residuals seen so far. The residual of CG jumps
/// about but its envelope falls roughly as c^k, the faster the longer it runs: the rate is taken from the later half of
/// the iterations.
class ConvergenceForecast {
public:
    /// target: relative residual at which the solve ends, 0 if it only ends at max_iterations.
    ConvergenceForecast(double target, Size max_iterations) : target_(target), max_iterations_(max_iterations) {}

    /// Takes in the state after an iteration, `seconds` after the first. Cheap, but meant for a few times a second.
    void observe(Size iteration, double relative_residual, double seconds);

    /// Between 0 and 1, never falling.
    double fraction() const { return fraction_; }

    /// Seconds until the target or max_iterations, whichever comes first; nothing while it cannot be told.
    std::optional<double> remaining_seconds() const;

private:
    struct Sample {
        Size iteration = 0;
        double log_best = 0;  ///< log of the least residual so far
        double seconds = 0;
    };

    std::optional<double> iterations_to_target() const;

    double target_;
    Size max_iterations_;
    double fraction_ = 0;
    std::vector<Sample> samples_ = {};
};

}  // namespace stiefel::cli
