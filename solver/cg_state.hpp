#pragma once

#include "stiefel/core/types.hpp"
#include "stiefel/solver/cg_coefficients.hpp"
#include "stiefel/solver/stop_reason.hpp"

#include <limits>

namespace stiefel {

/// The scalars of a CG run. They live in the backend's memory and are only ever decided there, so that no step waits
/// for the host. All are double whatever the vectors are: rtol^2 |b|^2 underflows in float.
struct CgState {
    double rho = 0;                                      ///< <r, M r>
    double curvature = 0;                                ///< <p, A p>
    double next_rho = 0;                                 ///< what is to be rho, where M gives it
    double alpha = 0;                                    ///< length of the last step along p, in units of x
    double beta = 0;                                     ///< rho / previous rho
    double residual2 = 0;                                ///< <r, r>, by recurrence
    double x_unit = 1;                                   ///< a power of two: r, p are of b's size divided by it
    double target2 = 0;                                  ///< residual2 <= target2 ends the run
    double limit2 = std::numeric_limits<double>::max();  ///< residual2 > limit2 ends the run: see cg_growth_limit
    Size iteration = 0;
    Size max_iterations = 0;
    StopReason reason = StopReason::running;
    bool x_is_behind = false;  ///< the run ended between r -= alpha q and x += alpha p: cg_finish catches up
    CgCoefficients* coefficients = nullptr;  ///< a ring, in the backend's memory, or null
};

// The decisions are constexpr so that device code may call them as well.

constexpr bool is_finite(double value) {
    return value >= -std::numeric_limits<double>::max() && value <= std::numeric_limits<double>::max();
}

/// Residuals of CG on an SPD matrix never grow beyond sqrt(cond(A)) times the first. Where they grow by 1 / eps, the
/// matrix is singular to far below working precision, and x is on its way to infinity along the null space.
template <class T>
constexpr double cg_growth_limit = 1.0 / static_cast<double>(std::numeric_limits<T>::epsilon());

/// Below, sums of squares may have lost terms that matter: what they say needs a second look.
inline constexpr double cg_least_scalar = 1e-290;

/// Whether the step along p may be taken: `running`, or the reason why not.
constexpr StopReason cg_check_curvature(const CgState& state) {
    if (!is_finite(state.curvature)) return StopReason::not_finite;
    if (state.curvature < cg_least_scalar) return StopReason::not_positive_definite;
    return StopReason::running;
}

/// The length of the step along p.
constexpr double cg_step_length(const CgState& state) {
    return state.rho / state.curvature;
}

/// Ends the run after cg_decide, before x has followed.
constexpr void cg_stop(CgState& state, StopReason reason) {
    state.reason = reason;
    state.x_is_behind = true;
}

/// Ends a run that goes on, if the host asked for it: `asked` is the StopReason it is to end as.
constexpr void cg_end_asked(CgState& state, int asked) {
    if (state.reason == StopReason::running && asked != 0) cg_stop(state, static_cast<StopReason>(asked));
}

/// Takes in <r, r> of the residual after a step of that length: the iteration is counted, and the run may have
/// converged or failed.
constexpr void cg_decide_residual(CgState& state, double residual2, double alpha) {
    ++state.iteration;
    if (state.coefficients != nullptr) state.coefficients[cg_coefficient_place(state.iteration)].alpha = alpha;
    state.alpha = alpha * state.x_unit;
    state.residual2 = residual2;
    if (!is_finite(residual2)) {
        state.reason = StopReason::not_finite;  // x stays: this step would carry it off
    } else if (residual2 <= state.target2) {
        cg_stop(state, StopReason::converged);
    } else if (residual2 > state.limit2) {
        cg_stop(state, StopReason::not_positive_definite);
    }
}

constexpr void cg_decide_residual(CgState& state, double residual2) {
    cg_decide_residual(state, residual2, cg_step_length(state));
}

/// Takes in <r, M r>, and with which beta the next direction is made, if the run goes on.
constexpr void cg_decide_rho(CgState& state, double rho, double beta) {
    state.beta = beta;
    state.rho = rho;
    if (state.coefficients != nullptr) state.coefficients[cg_coefficient_place(state.iteration)].beta = state.beta;
    if (state.reason != StopReason::running) return;
    if (!is_finite(rho)) {
        state.reason = StopReason::not_finite;
    } else if (rho < cg_least_scalar) {
        cg_stop(state, StopReason::not_positive_definite);
    } else if (state.iteration >= state.max_iterations) {
        cg_stop(state, StopReason::max_iterations);
    }
}

constexpr void cg_decide_rho(CgState& state, double rho) {
    cg_decide_rho(state, rho, rho / state.rho);
}

/// Both, where they are known at once.
constexpr void cg_decide(CgState& state, double residual2, double rho) {
    cg_decide_residual(state, residual2);
    cg_decide_rho(state, rho);
}

/// The scalars of a run before its first step, for cg_decide_rho on the first <r, M r>.
constexpr void cg_begin(CgState& state) {
    state.rho = std::numeric_limits<double>::max();
    state.curvature = 1;
    state.alpha = 0;
    state.beta = 0;
}

/// What a run that ended as not_positive_definite has seen, without a second look at it.
constexpr Evidence cg_evidence(const CgState& state) {
    if (state.reason != StopReason::not_positive_definite) return Evidence::none;
    if (state.curvature < cg_least_scalar) return Evidence::zero_curvature;
    return state.rho < cg_least_scalar ? Evidence::preconditioner : Evidence::residual_growth;
}

/// Whether a run ended on scalars that may have vanished or overflowed though A and M are as they should be.
constexpr bool cg_needs_second_look(const CgState& state) {
    if (state.reason == StopReason::not_finite) return true;
    const Evidence evidence = cg_evidence(state);
    return evidence == Evidence::zero_curvature || evidence == Evidence::preconditioner;
}

}  // namespace stiefel
