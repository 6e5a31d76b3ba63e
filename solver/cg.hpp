#pragma once

#include "stiefel/core/transfer.hpp"
#include "stiefel/dense/norm.hpp"
#include "stiefel/solver/ask_outside.hpp"
#include "stiefel/solver/cg_beginning.hpp"
#include "stiefel/solver/cg_gate.hpp"
#include "stiefel/solver/cg_kernels.hpp"
#include "stiefel/solver/cg_options.hpp"
#include "stiefel/solver/cg_scale.hpp"
#include "stiefel/solver/cg_second_look.hpp"
#include "stiefel/solver/operator.hpp"
#include "stiefel/solver/repeat.hpp"
#include "stiefel/solver/resident.hpp"
#include "stiefel/solver/solve_result.hpp"

#include <cmath>

namespace stiefel {

/// Solves A x = b for symmetric positive definite A by preconditioned conjugate gradients (Hestenes and Stiefel 1952).
///   a  n x n operator in the backend's memory (see operator.hpp)      m  Identity, or Jacobi from make_jacobi
///   b  n, right-hand side                                             x  n, guess on entry, solution on return
/// Throws InvalidArgument on a size mismatch or options that make no sense. Not converging is no error: read the
/// result's reason. The right-hand side 0 gives x = 0 in no iterations, whatever the guess. A run that made x worse is
/// undone: see SolveResult::x_iteration.
/// Memory: three vectors of n; a fourth for a guess that is not 0, and after a restart if there is room. Traffic of an
/// iteration with CSR in double: 12 nnz + 84 n bytes, Jacobi 16 n more.
template <class B, class T, OperatorOn<B, T> A, class M>
SolveResult cg(B& backend, const A& a, const M& m, const VectorOf<B, T>& b, VectorOf<B, T>& x,
               const CgOptions& options = {}) {
    require(x.size() == b.size(), "cg: x and b differ in size");
    check_cg_options("cg", options);
    const Size n = b.size();
    SolveResult result{.rhs_norm = norm(backend, b)};
    if (result.rhs_norm == 0) {
        fill(backend, T{0}, x);
        result.reason = StopReason::converged;
        result.relative_residual = result.recurrence_residual = 0;
        return result;
    }

    auto r = make_vector<T>(backend, n);
    auto p = make_vector<T>(backend, n);
    auto q = make_vector<T>(backend, n);
    auto state = make_vector<CgState>(backend, 1);
    KernelClock<B> clock(backend, {{.name = "spmv_dot", .work = work_of(a)},
                                   {.name = "cg_update", .work = cg_update_work<T>(n, m)},
                                   {.name = "cg_direction", .work = cg_direction_work<T>(n, m)}});

    // Vectors moved: spmv_dot p, q; cg_update q, r read, r written; cg_direction r, p, x read, p, x written.
    auto iterate = backend.record([&] {
        clock.start();
        apply_with_curvature(backend, a, p, q, &state.data()->curvature);  // q = A p,      curvature = <p, q>
        clock.lap(0);
        cg_update(backend, m, q, r, state.data());  // r -= alpha q,  rho, alpha, beta, reason
        clock.lap(1);
        cg_direction(backend, m, r, p, x, state.data());  // x += alpha p,  p = M r + beta p
        clock.lap(2);
    });
    // A backend that can run the whole loop at a stretch may be told how, where the system is small enough.
    if constexpr (requires { set_resident(backend, iterate, a, m, x, r, p, state); }) {
        set_resident(backend, iterate, a, m, x, r, p, state);
    }

    const Stopwatch watch;
    const auto tell = [&](Size iteration, double relative) {
        if (options.history) result.history.push_back(relative);
        return ask_outside(options, CgProgress{iteration, relative}, watch);
    };
    CgScale scale;
    const auto relative = [&](double residual2) { return std::sqrt(residual2) * (scale.unit() / result.rhs_norm); };
    const auto on_iteration = [&](Size iteration, double residual2) { return tell(iteration, relative(residual2)); };

    const double target = std::max(options.rtol * result.rhs_norm, options.atol);
    CgState scalars{.max_iterations = options.iterations_allowed(n)};
    CgBeginning<B, T> beginning;
    for (;;) {
        residual(backend, a, b, x, r);
        const double residual_norm = norm(backend, r);
        result.relative_residual = residual_norm / result.rhs_norm;
        if (beginning.is_first()) result.recurrence_residual = result.relative_residual;
        const StopReason asked = beginning.is_first() ? tell(0, result.relative_residual) : StopReason::running;
        result.reason = cg_gate(scalars, residual_norm, beginning.residual_norm(), target);
        if (result.reason == StopReason::running) result.reason = asked;
        if (result.reason != StopReason::running) break;

        if (!beginning.is_first()) ++result.restarts;
        beginning.keep(backend, x, residual_norm, scalars.iteration);
        scale.begin(backend, residual_norm, r);
        scale.begin(scalars, target, cg_growth_limit<T> * residual_norm);
        store(backend, scalars, state);
        cg_start(backend, m, r, p, state.data());
        repeat(backend, iterate, state, on_iteration);
        cg_finish(backend, p, x, state.data());
        scalars = load(backend, state);
        result.recurrence_residual = relative(scalars.residual2);
        result.evidence = cg_evidence(scalars);
        if (!cg_needs_second_look(scalars)) continue;
        const CgSecondLook look = cg_second_look(backend, a, m, r, p, q, state.data());
        result.evidence = look.evidence;
        scalars.reason = scale.take(look);
    }
    result.seconds = watch.seconds();
    result.iterations = result.x_iteration = scalars.iteration;
    if (beginning.is_better_than(result)) beginning.restore(backend, x, result);
    result.kernels = clock.kernels();
    return result;
}

/// cg without preconditioner.
template <class B, class T, OperatorOn<B, T> A>
SolveResult cg(B& backend, const A& a, const VectorOf<B, T>& b, VectorOf<B, T>& x, const CgOptions& options = {}) {
    return cg<B, T, A, Identity>(backend, a, Identity{}, b, x, options);
}

}  // namespace stiefel
