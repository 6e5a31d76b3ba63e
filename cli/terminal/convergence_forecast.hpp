#pragma once

#include "stiefel/core/types.hpp"

#include <limits>
#include <optional>
#include <vector>

namespace stiefel::cli {

/// How far a solve has come and how long it will still take, from the residuals seen so far. The residual of CG jumps
/// about but its envelope falls roughly as c^k, the faster the longer it runs: the rate is taken from the later half of
/// the iterations.
class ConvergenceForecast {
public:
    struct Remaining {
        double seconds = 0;
        bool is_limit = false;  ///< until a limit ends it, as the target cannot be told to be reached before
    };

    /// target: relative residual at which the solve ends, 0 if it only ends at a limit; time_limit: seconds after its
    /// beginning, which is when `seconds` in observe() was 0.
    ConvergenceForecast(double target, Size max_iterations, double time_limit = std::numeric_limits<double>::infinity())
        : target_(target), max_iterations_(max_iterations), time_limit_(time_limit) {}

    /// Takes in the state after an iteration, `seconds` after the beginning. Cheap, but meant for a few times a second.
    void observe(Size iteration, double relative_residual, double seconds);

    /// Between 0 and 1, never falling.
    double fraction() const { return fraction_; }

    /// The least residual so far; infinity while none has been seen.
    double best_residual() const;

    /// Iterations until the target; nothing while it cannot be told.
    std::optional<double> iterations_to_target() const;

    /// The same by the rate of all iterations: too many where CG goes faster later, but not misled by a moment in which
    /// nothing is gained.
    std::optional<double> iterations_at_mean_rate() const;

    /// Whether the residual has fallen in both quarters of the later half, and in neither more than four times as much
    /// as in the other: then the rate is that of more than a moment.
    bool falls_steadily() const;

    /// Time until the target or a limit, whichever comes first; nothing while it cannot be told.
    std::optional<Remaining> remaining() const;

private:
    struct Sample {
        Size iteration = 0;
        double log_best = 0;  ///< log of the least residual so far
        double seconds = 0;
    };

    /// The first that is no earlier than this share of the iterations so far; there must be one.
    const Sample& since(double share) const;
    std::optional<double> iterations_at_rate_since(double share) const;

    double target_;
    Size max_iterations_;
    double time_limit_;
    double fraction_ = 0;
    std::vector<Sample> samples_ = {};
};

}  // namespace stiefel::cli
