#pragma once

#include "stiefel/dense/small/cholesky.hpp"
#include "stiefel/solver/block_cg_state.hpp"

namespace stiefel {

// The small dense work of block CG, against a team (see dense/small/team.hpp), so that host and device share the text.

/// c = a b, or a b' if `transposed`; all k x k.
template <class Team>
constexpr void small_product(const Team& team, Index k, const double* a, const double* b, bool transposed, double* c) {
    team.for_each(k * k, [=](Index e) {
        const Index i = e / k;
        const Index j = e % k;
        double sum = 0;
        for (Index m = 0; m < k; ++m) sum += a[i * k + m] * (transposed ? b[j * k + m] : b[m * k + j]);
        c[e] = sum;
    });
}

/// How much of a direction must be new to it, as a share of its squared length. Directions below would be orthogonal to
/// no more than a few digits.
inline constexpr double block_cg_new_share = 1e-12;

/// W's columns are differences of unit vectors: shorter ones than this many roundings are noise.
inline constexpr double block_cg_noise = 64;

/// Whether S' A S proves that A is not positive definite, or is not finite. `rest` is what the factorisation has left
/// of its diagonal.
constexpr StopReason block_cg_check_curvature(Index k, Index n_directions, const double* curvature, const double* rest,
                                              double tolerance) {
    for (Index i = 0; i < k; ++i) {
        const double own = curvature[i * k + i];
        if (!is_finite(own) || !is_finite(rest[i])) return StopReason::not_finite;
        if (i < n_directions && (own <= 0 || rest[i] < -tolerance * own)) return StopReason::not_positive_definite;
    }
    return StopReason::running;
}

/// xi = (S' A S)^-1  and  step = xi sigma. Directions along which the curvature is lost in rounding are left out. If A
/// turns out not to be positive definite both become 0 and the state says why. eps: of the panels' type.
template <class Team>
constexpr void block_cg_solve_step(const Team& team, const BlockCgMatrices& m, double eps, CgState* state) {
    const Index k = m.k;
    const double tolerance = 16 * k * eps;
    team.for_each(k * k, [=](Index e) { m.product[e] = (m.curvature[e] + m.curvature[e % k * k + e / k]) / 2; });
    const Index rank = pivoted_cholesky(team, k, m.product, {.relative = tolerance}, m.factor, m.rest, m.order);
    const StopReason verdict = block_cg_check_curvature(k, m.order[k], m.curvature, m.rest, tolerance);
    const bool usable = verdict == StopReason::running;
    inverse_factor(team, k, usable ? rank : 0, m.factor, m.order, m.product);
    small_product(team, k, m.product, m.product, true, m.xi);
    small_product(team, k, m.xi, m.sigma, false, m.step);
    team.for_each(k * k, [=](Index e) {
        if (m.columns[e % k].reason != StopReason::running) m.step[e] = 0;
    });
    team.for_each(1, [=](Index) {
        if (!usable) state->reason = verdict;
    });
}

/// Looks at one column after an iteration. Returns why the run must end, or `running`.
constexpr StopReason block_cg_decide_column(BlockCgColumn& column, Size iteration) {
    if (column.reason != StopReason::running) return StopReason::running;
    if (!is_finite(column.residual2)) return StopReason::not_finite;
    if (column.residual2 <= column.target2) {
        column.reason = StopReason::converged;
        column.iteration = iteration;
    } else if (column.residual2 > column.limit2) {
        return StopReason::not_positive_definite;
    }
    return StopReason::running;
}

/// Ends an iteration. state->residual2 becomes the largest (|r| / |b|)^2 of the columns that still run.
constexpr void block_cg_decide_run(const BlockCgMatrices& m, CgState& state) {
    StopReason reason = StopReason::converged;
    double worst = 0;
    for (Index j = 0; j < m.k; ++j) {
        BlockCgColumn& column = m.columns[j];
        const bool ran = column.reason == StopReason::running;
        const StopReason verdict = block_cg_decide_column(column, state.iteration);
        const double relative2 = column.residual2 / (column.rhs_norm * column.rhs_norm);
        if (ran && !(relative2 <= worst)) worst = relative2;
        if (verdict != StopReason::running) {
            reason = verdict;
        } else if (column.reason == StopReason::running && reason == StopReason::converged) {
            reason = StopReason::running;
        }
    }
    state.residual2 = worst;
    if (reason == StopReason::running && state.iteration >= state.max_iterations) reason = StopReason::max_iterations;
    if (reason != StopReason::running) cg_stop(state, reason);
}

/// Takes in W' W: a new orthonormal basis Q = W z with W = Q zeta, R = Q sigma, and what that says of each column. With
/// `start` no iteration has been done: only the basis changes. Leaves xi = 0, so that W can be orthonormalised again.
template <class Team>
constexpr void block_cg_orthonormalise(const Team& team, const BlockCgMatrices& m, double eps, bool start,
                                       CgState* state) {
    const Index k = m.k;
    if (!start) {
        small_product(team, k, m.weighted, m.sigma, false, m.product);
        team.for_each(k, [=](Index j) {
            double sum = 0;
            for (Index i = 0; i < k; ++i) sum += m.sigma[i * k + j] * m.product[i * k + j];
            if (m.columns[j].reason == StopReason::running) m.columns[j].residual2 = sum > 0 ? sum : sum - sum;
        });
    }
    const double noise = block_cg_noise * eps;
    const RankTolerance tolerance{.relative = block_cg_new_share, .absolute = start ? 0 : noise * noise};
    const Index rank = pivoted_cholesky(team, k, m.gram, tolerance, m.factor, m.rest, m.order);
    inverse_factor(team, k, rank, m.factor, m.order, m.z);
    team.for_each(k * k, [=](Index e) {
        m.zeta[e] = m.factor[e % k * k + e / k];
        m.xi[e] = 0;
    });
    small_product(team, k, m.zeta, m.sigma, false, m.product);
    team.for_each(k * k, [=](Index e) { m.sigma[e] = m.product[e]; });
    team.for_each(1, [=](Index) {
        m.order[k] = rank;
        if (start) return;
        ++state->iteration;
        block_cg_decide_run(m, *state);
        // What is left of the residuals is rounding: let the true ones tell.
        if (rank == 0 && state->reason == StopReason::running) cg_stop(*state, StopReason::converged);
    });
}

}  // namespace stiefel
