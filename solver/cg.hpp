#pragma once

#include "stiefel/core/transfer.hpp"
#include "stiefel/dense/norm.hpp"
#include "stiefel/solver/ask_outside.hpp"
#include "stiefel/solver/cg_kernels.hpp"
#include "stiefel/solver/operator.hpp"
#include "stiefel/solver/repeat.hpp"
#include "stiefel/solver/resident.hpp"
#include "stiefel/solver/solve_result.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace stiefel {

/// What a monitor is told after an iteration (on CUDA somewhat later, in order all the same).
struct CgProgress {
    Size iteration = 0;
    double relative_residual = 0;  ///< by recurrence
};

/// The limit for n unknowns where none is given: 10 n, at least a million. It is there to end what would run for ever,
/// not to decide how a run ends. With a limit near the count that a system takes, rounding would decide: on small
/// matrices of condition 1e11 counts lie anywhere up to 300 000 and differ by a third between kernels that add in
/// another order.
constexpr Size default_max_iterations(Size n) {
    return std::max<Size>(1000000, 10 * n);
}

struct CgOptions {
    double rtol = 1e-8;                                   ///< stop when |b - A x| <= max(rtol |b|, atol)
    double atol = 0;                                      ///< in units of b
    Size max_iterations = -1;                             ///< negative: default_max_iterations
    bool history = false;                                 ///< keep the residual of every iteration in the result
    std::function<bool(const CgProgress&)> monitor = {};  ///< returns false to stop
    double time_limit = std::numeric_limits<double>::infinity();  ///< seconds; looked at after every iteration
};

namespace detail {

/// What the true residual norm makes of the end of a run: whether to begin again (`running`) or why not. A recurrence
/// that claims convergence too early has drifted; restarting from the true residual mends that once. Where a restart
/// gains less than a quarter, x is as good as the rounding of A x allows.
inline StopReason cg_gate(const CgState& ended, double residual, double previous_residual, double target) {
    constexpr double least_gain = 0.75;
    if (!std::isfinite(residual)) return StopReason::not_finite;
    if (residual <= target) return StopReason::converged;
    if (ended.reason == StopReason::converged && residual > least_gain * previous_residual)
        return StopReason::stagnated;
    if (ended.reason == StopReason::converged || ended.reason == StopReason::running) {
        return ended.iteration < ended.max_iterations ? StopReason::running : StopReason::max_iterations;
    }
    return ended.reason;
}

/// Whether squares of residuals might vanish or overflow on the way to the tolerance.
inline bool cg_needs_scaling(double rhs_norm) {
    return std::isfinite(rhs_norm) && rhs_norm > 0 && (rhs_norm < 1e-100 || rhs_norm > 1e100);
}

}  // namespace detail

template <class B, class T, OperatorOn<B, T> A, class M>
SolveResult cg(B& backend, const A& a, const M& m, const VectorOf<B, T>& b, VectorOf<B, T>& x,
               const CgOptions& options = {});

namespace detail {

/// cg for a right-hand side whose norm is so large or small that squares would leave the range of double: solves with
/// b and x times a power of two, which rounds nothing.
template <class B, class T, class A, class M>
SolveResult cg_scaled(B& backend, const A& a, const M& m, const VectorOf<B, T>& b, VectorOf<B, T>& x,
                      const CgOptions& options, double rhs_norm) {
    int exponent = 0;
    std::frexp(rhs_norm, &exponent);
    auto scaled_b = make_vector<T>(backend, b.size());
    copy(backend, b, scaled_b);
    scale(backend, -exponent, scaled_b);
    scale(backend, -exponent, x);
    CgOptions scaled_options = options;
    scaled_options.atol = std::ldexp(options.atol, -exponent);
    SolveResult result = cg<B, T, A, M>(backend, a, m, scaled_b, x, scaled_options);
    scale(backend, exponent, x);
    result.rhs_norm = rhs_norm;
    return result;
}

}  // namespace detail

/// Solves A x = b for symmetric positive definite A by preconditioned conjugate gradients (Hestenes and Stiefel 1952).
///   a  n x n operator in the backend's memory (see operator.hpp)      m  Identity, or Jacobi from make_jacobi
///   b  n, right-hand side                                             x  n, guess on entry, solution on return
/// Throws InvalidArgument on a size mismatch or a negative or NaN tolerance. Not converging is no error: read the
/// result's reason. The right-hand side 0 gives x = 0 in no iterations, whatever the guess.
/// Memory: three vectors of n. Traffic of an iteration with CSR in double: 12 nnz + 84 n bytes, Jacobi 16 n more.
template <class B, class T, OperatorOn<B, T> A, class M>
SolveResult cg(B& backend, const A& a, const M& m, const VectorOf<B, T>& b, VectorOf<B, T>& x,
               const CgOptions& options) {
    require(x.size() == b.size(), "cg: x and b differ in size");
    require(options.rtol >= 0 && options.atol >= 0, "cg: rtol and atol must not be negative or NaN");
    check_time_limit("cg", options.time_limit);
    const Size n = b.size();
    SolveResult result{.rhs_norm = norm(backend, b)};
    if (result.rhs_norm == 0) {
        fill(backend, T{0}, x);
        result.reason = StopReason::converged;
        return result;
    }
    if (detail::cg_needs_scaling(result.rhs_norm)) {
        return detail::cg_scaled<B, T, A, M>(backend, a, m, b, x, options, result.rhs_norm);
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
    const auto on_iteration = [&](Size iteration, double residual2) {
        const double relative = std::sqrt(residual2) / result.rhs_norm;
        if (options.history) result.history.push_back(relative);
        return ask_outside(options, CgProgress{iteration, relative}, watch);
    };

    const double target = std::max(options.rtol * result.rhs_norm, options.atol);
    CgState scalars{.target2 = target * target,
                    .max_iterations = options.max_iterations >= 0 ? options.max_iterations : default_max_iterations(n)};
    for (double previous = std::numeric_limits<double>::infinity();;) {
        residual(backend, a, b, x, r);
        const double residual_norm = norm(backend, r);
        result.relative_residual = residual_norm / result.rhs_norm;
        const bool first = scalars.reason == StopReason::running;
        if (first) result.recurrence_residual = result.relative_residual;
        const StopReason asked = first ? on_iteration(0, residual_norm * residual_norm) : StopReason::running;
        scalars.reason = detail::cg_gate(scalars, residual_norm, previous, target);
        if (scalars.reason == StopReason::running) scalars.reason = asked;
        if (scalars.reason != StopReason::running) break;

        if (!first) ++result.restarts;
        previous = residual_norm;
        const double limit = cg_growth_limit<T> * residual_norm;
        scalars.limit2 = limit * limit;
        scalars.x_is_behind = false;
        store(backend, scalars, state);
        cg_start(backend, m, r, p, state.data());
        repeat(backend, iterate, state, on_iteration);
        cg_finish(backend, p, x, state.data());
        scalars = load(backend, state);
        result.recurrence_residual = std::sqrt(scalars.residual2) / result.rhs_norm;
    }
    result.seconds = watch.seconds();
    result.reason = scalars.reason;
    result.iterations = scalars.iteration;
    result.kernels = clock.kernels();
    return result;
}

/// cg without preconditioner.
template <class B, class T, OperatorOn<B, T> A>
SolveResult cg(B& backend, const A& a, const VectorOf<B, T>& b, VectorOf<B, T>& x, const CgOptions& options = {}) {
    return cg<B, T, A, Identity>(backend, a, Identity{}, b, x, options);
}

}  // namespace stiefel
