#pragma once

#include <string_view>

namespace stiefel {

/// Why an iteration ended. Only `converged` means that the true residual, computed afresh, meets the tolerance.
enum class StopReason : int {
    running,
    converged,
    max_iterations,
    not_positive_definite,  ///< p'Ap <= 0 for a direction p, r'Mr <= 0, or the residual grew as only a singular A makes
                            ///< it
    stagnated,              ///< restarting from the true residual no longer brings it down: rounding is the limit
    not_finite,             ///< a NaN or infinity appeared
    interrupted,            ///< the monitor asked to stop
    time_limit,             ///< the time allowed is up
};

/// "converged", "max_iterations", ...: the spelling of reports.
std::string_view to_string(StopReason reason);

}  // namespace stiefel
