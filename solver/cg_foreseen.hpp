#pragma once

#include "stiefel/solver/cg_state.hpp"

#include <limits>

namespace stiefel {

// CG whose iterations wait for one sum instead of two: beta of the next direction is told before the step along p is
// taken, by sums of q = A p, as what the step leaves of <r, M r> is <r, M r> - 2 alpha <r, M q> + alpha^2 <q, M q>. So
// x, r and p are brought up to date at once. Where <r, M r> of what a step has left is taken all the same, with the
// sums of the next product, and is what the next length is made of, CG converges and ends as it does otherwise (Chen
// and Carson 2020, "Predict-and-recompute conjugate gradient variants"). With <p, q> for <r, M q>, from which only
// rounding keeps it, ill-conditioned systems take up to a third more iterations (nos1, bcsstk19).

/// The sums of an iteration. Those with q are of q times CgForesight::unit, but for <p, q>; the last two are of the
/// residual that the step before has left.
namespace cg_sum {
inline constexpr int curvature = 0, r_mq = 1, q_mq = 2, residual2 = 3, rho = 4, n = 5;
}

/// What such a loop knows beside the state, from one iteration to the next.
struct CgForesight {
    double unit;       ///< of A p in the sums of the next product
    double per_unit;   ///< 1 / unit
    double rho;        ///< <r, M r> of the residual that the step to come begins at
    double length;     ///< of that step, in units of r
    double beta;       ///< of the direction after it
    bool has_unit;     ///< that a step has told; before, it is 1
    bool has_stepped;  ///< so that the sums to come hold those of the residual which it has left
};

/// Before the first step, from a residual with that <r, M r>.
constexpr CgForesight cg_first_foresight(double rho) {
    return {.unit = 1, .per_unit = 1, .rho = rho, .length = 0, .beta = 0, .has_unit = false, .has_stepped = false};
}

/// The power of two below a length of a step: with it for a unit, squares of A p are in range where those of r are.
template <class T>
constexpr T cg_unit(double length) {
    constexpr T most = std::numeric_limits<T>::max() / 4;
    T unit = 1;
    while (unit <= length / 2 && unit < most) unit *= 2;
    while (unit > length && unit > 1 / most) unit /= 2;
    return unit;
}

/// beta of the step that is to come, from sums in that unit. 0, where rounding is all that is left or the unit was far
/// from what it should be, as that of a first step may be: then the direction begins anew.
constexpr double cg_foreseen_beta(double curvature, const CgForesight& ahead, double r_mq, double q_mq) {
    const double alpha = ahead.length * ahead.per_unit;
    const double beta = 1 - ahead.per_unit / curvature * (2 * r_mq - alpha * q_mq);
    return beta > 0 && is_finite(beta) ? beta : 0;
}

/// The first half of what is decided by the sums of an iteration: what a step of that length, with that beta after it,
/// has come to, if there was one; then whether the next may be taken.
constexpr void cg_look_back(CgState& state, bool has_stepped, double length, double beta,
                            const double (&sums)[cg_sum::n]) {
    if (has_stepped) {
        cg_decide_residual(state, sums[cg_sum::residual2], length);
        cg_decide_rho(state, sums[cg_sum::rho], beta);
        state.x_is_behind = false;  // it went with the step
    }
    if (state.reason != StopReason::running) return;
    state.curvature = sums[cg_sum::curvature];
    state.reason = cg_check_curvature(state);
}

/// The second: how long the next step is, and how the direction after it is made, if the run goes on. It does not need
/// the first, so both may be decided at once. Vectors of type T.
template <class T>
constexpr void cg_look_ahead(CgForesight& ahead, const double (&sums)[cg_sum::n]) {
    if (ahead.has_stepped) ahead.rho = sums[cg_sum::rho];
    const double curvature = sums[cg_sum::curvature];
    ahead.length = ahead.rho / curvature;
    ahead.beta = cg_foreseen_beta(curvature, ahead, sums[cg_sum::r_mq], sums[cg_sum::q_mq]);
    if (ahead.has_unit) return;
    ahead.has_unit = true;
    ahead.unit = static_cast<double>(cg_unit<T>(ahead.length));
    ahead.per_unit = 1 / ahead.unit;
}

}  // namespace stiefel
