#pragma once

#include "stiefel/dense/panel.hpp"
#include "stiefel/dense/small/cholesky.hpp"
#include "stiefel/solver/block_cg_state.hpp"

namespace stiefel {

// The small dense work of block CG, against a team (see dense/small/team.hpp), so that host and device share the text.

/// c = a b, all k x k.
template <class Team>
constexpr void small_product(const Team& team, Index k, const double* a, const double* b, double* c) {
    team.for_each_pair(k, k, [=](Index i, Index j) {
        double sum = 0;
        for (Index m = 0; m < k; ++m) sum += a[i * k + m] * b[m * k + j];
        c[i * k + j] = sum;
    });
}

/// How much of a direction must be new to it, as a share of its squared length. Directions below would be orthogonal to
/// no more than a few digits.
inline constexpr double block_cg_new_share = 1e-12;

/// W's columns are differences of unit vectors: shorter ones than this many roundings are noise.
inline constexpr double block_cg_noise = 64;

/// What S' A S proves of A in direction i: `running` if nothing. `rest` is what the factorisation has left of its
/// diagonal.
constexpr StopReason block_cg_check_curvature(Index i, const BlockCgMatrices& m, double tolerance) {
    const double own = m.curvature[i * m.k + i];
    if (!is_finite(own) || !is_finite(m.rest[i])) return StopReason::not_finite;
    const bool is_direction = i < *m.n_directions;
    if (is_direction && (own <= 0 || m.rest[i] < -tolerance * own)) return StopReason::not_positive_definite;
    return StopReason::running;
}

/// xi = (S' A S)^-1  and  step = xi sigma. Directions along which the curvature is lost in rounding are left out. If A
/// turns out not to be positive definite both become 0 and the state says why. eps: of the panels' type. Needs no more
/// than product, step and factor beside what it reads.
template <class Team>
constexpr void block_cg_solve_step(const Team& team, const BlockCgMatrices& m, double eps, CgState* state) {
    const Index k = m.k;
    const double tolerance = 16 * k * eps;
    team.for_each_pair(
        k, k, [=](Index i, Index j) { m.product[i * k + j] = (m.curvature[i * k + j] + m.curvature[j * k + i]) / 2; });
    const Index rank = pivoted_cholesky<max_panel_columns>(team, k, m.product, m.step, {.relative = tolerance}, nullptr,
                                                           m.factor, m.rest);
    const auto look = [=](Index i) { return block_cg_check_curvature(i, m, tolerance); };
    const Index witness =
        team.largest(
                k,
                [=](Index i) {
                    const StopReason reason = look(i);
                    return reason == StopReason::running ? 0.0 : reason == StopReason::not_finite ? 2.0 : 1.0;
                },
                [](Index) { return 0.0; })
            .place;
    const Index usable = witness < 0 ? rank : 0;
    team.for_each_pair(k, k, [=](Index i, Index j) {
        double sum = 0;
        for (Index c = 0; c < usable; ++c) sum += m.factor[c * k + i] * m.factor[c * k + j];
        m.xi[i * k + j] = sum;
    });
    team.for_each_pair(k, k, [=](Index i, Index j) {
        double sum = 0;
        for (Index c = 0; c < k; ++c) sum += m.xi[i * k + c] * m.sigma[c * k + j];
        m.step[i * k + j] = m.columns[j].reason == StopReason::running ? sum : 0;
    });
    if (m.kept.keeps(state->iteration)) {
        double* const curvature = m.kept.curvature(state->iteration);
        double* const xi = m.kept.xi(state->iteration);
        team.for_each_pair(k, k, [=](Index i, Index j) {
            curvature[i * k + j] = (m.curvature[i * k + j] + m.curvature[j * k + i]) / 2;
            xi[i * k + j] = m.xi[i * k + j];
        });
    }
    team.for_each(1, [=](Index) {
        if (witness >= 0) state->reason = look(witness);
    });
}

/// Takes in the square of a column's residual after an iteration and looks at what it says.
constexpr void block_cg_decide_column(BlockCgColumn& column, double residual2, Size iteration) {
    column.relative2 = 0;
    column.verdict = StopReason::running;
    if (column.reason != StopReason::running) return;
    column.residual2 = residual2;
    column.relative2 = residual2 / (column.rhs_norm * column.rhs_norm);
    if (!is_finite(residual2)) {
        column.verdict = StopReason::not_finite;
    } else if (residual2 <= column.target2) {
        column.reason = StopReason::converged;
        column.iteration = iteration;
    } else if (residual2 > column.limit2) {
        column.verdict = StopReason::not_positive_definite;
    }
}

/// Ends an iteration, after the columns. state->residual2 becomes the largest (|r| / |b|)^2 of those that ran.
constexpr void block_cg_decide_run(const BlockCgMatrices& m, CgState& state) {
    StopReason reason = StopReason::converged;
    double worst = 0;
    for (Index j = 0; j < m.k; ++j) {
        const BlockCgColumn& column = m.columns[j];
        if (column.relative2 > worst || !is_finite(column.relative2)) worst = column.relative2;
        if (column.verdict != StopReason::running) {
            reason = column.verdict;
        } else if (column.reason == StopReason::running && reason == StopReason::converged) {
            reason = StopReason::running;
        }
    }
    state.residual2 = worst;
    if (reason == StopReason::running && state.iteration >= state.max_iterations) reason = StopReason::max_iterations;
    if (reason == StopReason::not_finite) {
        state.reason = reason;  // X stays: this step would carry it off
    } else if (reason != StopReason::running) {
        cg_stop(state, reason);
    }
}

/// Takes in W' W: a new orthonormal basis Q = W z with W = Q zeta, R = Q sigma, and what that says of each column. With
/// `start` no iteration has been done: only the basis changes. Leaves xi = 0, so that W can be orthonormalised again.
/// Needs product and factor beside what it reads and writes.
template <class Team>
constexpr void block_cg_orthonormalise(const Team& team, const BlockCgMatrices& m, double eps, bool start,
                                       CgState* state) {
    const Index k = m.k;
    const double noise = block_cg_noise * eps;
    if (!start) small_product(team, k, m.weighted, m.sigma, m.product);
    team.for_each(k, [=](Index j) {
        if (start) {
            m.columns[j].verdict = StopReason::running;
        } else {
            double sum = 0;
            for (Index i = 0; i < k; ++i) sum += m.sigma[i * k + j] * m.product[i * k + j];
            block_cg_decide_column(m.columns[j], sum > 0 ? sum : sum - sum, state->iteration + 1);
        }
        // What has a length has one in the inner product of M as well, if M is positive definite.
        const Size own = Size{j} * k + j;
        if (m.weighted[own] > noise * noise && m.gram[own] <= 0) {
            m.columns[j].verdict = StopReason::not_positive_definite;
        }
    });
    team.for_each_pair(k, k,
                       [=](Index i, Index j) { m.product[i * k + j] = (m.gram[i * k + j] + m.gram[j * k + i]) / 2; });
    const RankTolerance tolerance{.relative = block_cg_new_share, .absolute = start ? 0 : noise * noise};
    const Index rank =
        pivoted_cholesky<max_panel_columns>(team, k, m.product, m.z, tolerance, m.zeta, m.factor, m.rest);
    team.for_each_pair(k, k, [=](Index i, Index j) {
        const Index d = i + j < k ? i + j : i + j - k;  // transposed along diagonals: neighbours write to other banks
        m.z[j * k + d] = m.factor[d * k + j];
        m.xi[i * k + j] = 0;
        double sum = 0;
        for (Index c = 0; c < k; ++c) sum += m.zeta[i * k + c] * m.sigma[c * k + j];
        m.product[i * k + j] = sum;
    });
    team.for_each_pair(k, k, [=](Index i, Index j) { m.sigma[i * k + j] = m.product[i * k + j]; });
    if (!start && m.kept.keeps(state->iteration)) {
        double* const zeta = m.kept.zeta(state->iteration);
        team.for_each_pair_at_once(k, k, [=](Index i, Index j) { zeta[i * k + j] = m.zeta[i * k + j]; });
    }
    team.for_each(1, [=](Index) {
        *m.n_directions = rank;
        if (start) {
            for (Index j = 0; j < k; ++j) {
                if (m.columns[j].verdict != StopReason::running) state->reason = m.columns[j].verdict;
            }
            return;
        }
        ++state->iteration;
        block_cg_decide_run(m, *state);
        // What is left of the residuals is rounding: let the true ones tell.
        if (rank == 0 && state->reason == StopReason::running) cg_stop(*state, StopReason::converged);
    });
}

}  // namespace stiefel
