#pragma once

#include "stiefel/solver/cg_state.hpp"

#include <cmath>

namespace stiefel {

/// Where a restart gains less than a quarter, x is as good as the rounding of A x allows.
inline constexpr double cg_least_gain = 0.75;

/// What the true residual norm makes of the end of a run: whether to begin again (`running`) or why not. A recurrence
/// that claims convergence too early has drifted; restarting from the true residual mends that once.
///   previous  the true residual norm where the run began     target  what is asked for
inline StopReason cg_gate(const CgState& ended, double residual, double previous, double target) {
    const bool goes_on = ended.reason == StopReason::running || ended.reason == StopReason::converged;
    if (std::isfinite(residual) && residual <= target) return StopReason::converged;
    if (!goes_on) return ended.reason;
    if (!std::isfinite(residual)) return StopReason::not_finite;
    if (ended.reason == StopReason::converged && residual > cg_least_gain * previous) return StopReason::stagnated;
    return ended.iteration < ended.max_iterations ? StopReason::running : StopReason::max_iterations;
}

/// Whether x is to stay where a run ended for this reason, though its residual be larger than where the run began. A
/// run that was well until it was ended from outside has come closer to the solution in the energy norm with every
/// iteration, while residuals go up and down: who goes on from x loses nothing.
constexpr bool cg_trusts_last(StopReason reason) {
    return reason == StopReason::converged || reason == StopReason::max_iterations ||
           reason == StopReason::interrupted || reason == StopReason::time_limit;
}

}  // namespace stiefel
