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

std::string_view to_string(Evidence evidence) {
    switch (evidence) {
        case Evidence::none:
            return "none";
        case Evidence::negative_curvature:
            return "negative_curvature";
        case Evidence::zero_curvature:
            return "zero_curvature";
        case Evidence::preconditioner:
            return "preconditioner";
        case Evidence::residual_growth:
            return "residual_growth";
        case Evidence::rounding:
            return "rounding";
        case Evidence::stuck:
            return "stuck";
    }
    return "unknown";
}

}  // namespace stiefel
