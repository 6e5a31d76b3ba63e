#pragma once

#include "stiefel/core/kernel_clock.hpp"
#include "stiefel/solver/accuracy.hpp"
#include "stiefel/solver/ritz_extremes.hpp"
#include "stiefel/solver/stop_reason.hpp"

#include <optional>
#include <vector>

namespace stiefel {

/// How a solve ended.
struct SolveResult {
    StopReason reason = StopReason::running;
    Evidence evidence = Evidence::none;  ///< what speaks for not_positive_definite, or stagnated
    Size iterations = 0;
    Size x_iteration = 0;            ///< the one that x comes from: where later ones made it worse, an earlier one
    Size restarts = 0;               ///< times the recurrence had drifted and CG began again from the true residual
    double initial_residual = 0;     ///< |b - A x| / |b| of the guess; 0 if b = 0
    double relative_residual = 0;    ///< |b - A x| / |b|, computed afresh from the x returned; 0 if b = 0
    double recurrence_residual = 0;  ///< |r| / |b| as the recurrence of CG carries it
    double rhs_norm = 0;             ///< |b|
    std::optional<Accuracy> accuracy = {};  ///< of the x returned; where |A| is known, or had to be: see CgOptions
    std::optional<RitzExtremes> ritz = {};  ///< of M A, from all runs between restarts; absent where A or M was found
                                            ///< not to be positive definite
    double seconds = 0;                     ///< the iteration loop, with restarts and checks of the true residual
    double sampling_seconds = 0;  ///< after these, for `kernels`: of more iterations, where these were not to be timed
    std::vector<KernelTime> kernels = {};
    std::vector<double> history = {};  ///< on request: recurrence_residual after iteration 0, 1, 2, ...
};

}  // namespace stiefel
