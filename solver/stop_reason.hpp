#pragma once

#include <string_view>

namespace stiefel {

/// Why an iteration ended. Only `converged` means that the true residual, computed afresh, meets the tolerance.
enum class StopReason : int {
    running,
    converged,
    max_iterations,
    not_positive_definite,  ///< as Evidence says
    stagnated,              ///< restarting from the true residual no longer brings it down: see Evidence
    not_finite,             ///< a NaN or infinity appeared
    interrupted,            ///< the monitor asked to stop
    time_limit,             ///< the time allowed is up
};

/// "converged", "max_iterations", ...: the spelling of reports.
std::string_view to_string(StopReason reason);

/// What a run has seen that ended as `not_positive_definite`, of which only the first is proof; or as `stagnated`.
enum class Evidence : int {
    none,
    negative_curvature,  ///< p'Ap < 0 for a direction p, by more than all rounding in it
    zero_curvature,      ///< p'Ap is 0 within its own rounding error: A is singular or indefinite, or nearly so
    preconditioner,      ///< r'Mr <= 0 for a residual r: it is M that is not positive definite
    residual_growth,     ///< the residual has grown by 1 / eps: A is singular to working precision, or indefinite
    rounding,            ///< stagnated where rounding A x explains the residual: x is as good as the precision allows
    stuck,               ///< stagnated above that: something else is in the way
};

/// "negative_curvature", ...; "none".
std::string_view to_string(Evidence evidence);

}  // namespace stiefel
