#pragma once

#include "stiefel/cli/solve/preconditioner_advisor.hpp"

#include <cmath>
#include <functional>

// Runs with given residuals, for tests of what an advisor makes of them.

namespace stiefel::cli {
namespace {

inline constexpr double target_of_runs = 1e-8;

/// The iteration after which a run gives way, in which a residual is residual(k) and an iteration takes so long; -1 if
/// it comes to its end.
inline Size left_at(PreconditionerAdvisor& advisor, const std::function<double(Size)>& residual, double seconds_each,
                    Size end = 5000) {
    for (Size k = 0; k <= end && residual(k) > target_of_runs; ++k) {
        if (advisor.gives_way(k, residual(k), static_cast<double>(k) * seconds_each)) return k;
    }
    return -1;
}

/// Falls evenly to the target within so many iterations.
inline std::function<double(Size)> falling(double iterations) {
    return [=](Size k) { return std::pow(target_of_runs, static_cast<double>(k) / iterations); };
}

inline double constant(Size) {
    return 0.7;
}

}  // namespace
}  // namespace stiefel::cli
