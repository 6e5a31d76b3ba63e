#pragma once

#include "stiefel/core/kernel_clock.hpp"
#include "stiefel/solver/accuracy.hpp"
#include "stiefel/solver/ritz_extremes.hpp"
#include "stiefel/solver/stop_reason.hpp"

#include <optional>
#include <vector>

namespace stiefel {

/// How one right-hand side of a block ended.
struct ColumnResult {
    StopReason reason = StopReason::running;
    Evidence evidence = Evidence::none;  ///< what speaks for not_positive_definite, or stagnated
    Size iterations = 0;                 ///< of the block when this column converged, or ended
    Size x_iteration = 0;                ///< the one that x comes from: where later ones made it worse, an earlier one
    double initial_residual = 0;         ///< |b - A x| / |b| of the guess; 0 if b = 0
    double relative_residual = 0;        ///< |b - A x| / |b|, computed afresh from the x returned; 0 if b = 0
    double recurrence_residual = 0;      ///< the same as the recurrence carries it
    double rhs_norm = 0;                 ///< |b|
    std::optional<Accuracy> accuracy = {};  ///< as in SolveResult
};

/// How a solve with many right-hand sides ended.
struct BlockSolveResult {
    StopReason reason = StopReason::running;  ///< converged if every column has, else that of the last which has not
    Evidence evidence = Evidence::none;       ///< what speaks for not_positive_definite, or stagnated
    Size iterations = 0;                      ///< each multiplies A with all columns
    Size restarts = 0;                        ///< times that the recurrence had drifted: see cg
    double relative_residual = 0;             ///< the largest of the columns; NaN if one is
    std::optional<RitzExtremes> ritz = {};    ///< as in SolveResult
    double seconds = 0;                       ///< the iteration loop, with restarts and checks of the true residual
    std::vector<ColumnResult> columns = {};
    std::vector<KernelTime> kernels = {};
    std::vector<double> history = {};  ///< on request: the largest recurrence_residual after iteration 0, 1, 2, ...
};

}  // namespace stiefel
