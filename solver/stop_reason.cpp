#include "stiefel/solver/stop_reason.hpp"

namespace stiefel {

std::string_view to_string(StopReason reason) {
    switch (reason) {
        case StopReason::running:
            return "running";
        case StopReason::converged:
            return "converged";
        case StopReason::max_iterations:
            return "max_iterations";
        case StopReason::not_positive_definite:
            return "not_positive_definite";
        case StopReason::stagnated:
            return "stagnated";
        case StopReason::not_finite:
            return "not_finite";
        case StopReason::interrupted:
            return "interrupted";
        case StopReason::time_limit:
            return "time_limit";
    }
    return "unknown";
}

}  // namespace stiefel
