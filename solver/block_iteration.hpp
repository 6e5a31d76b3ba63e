#pragma once

#include "stiefel/preconditioner/spectrum_bounds.hpp"
#include "stiefel/solver/ask_outside.hpp"
#include "stiefel/solver/block_start.hpp"
#include "stiefel/solver/eigen_watch.hpp"
#include "stiefel/solver/ritz_basis.hpp"
#include "stiefel/solver/whole_space.hpp"

#include <limits>

namespace stiefel {

namespace detail {

/// What all block eigensolvers do around their step: they start, look at residuals, tell of them, refresh the basis
/// now and then, and believe no convergence that was not computed afresh.
template <class B, class T, class A, class Step>
class BlockIteration {
public:
    using Basis = RitzBasis<B, T, A>;
    using Report = typename Basis::Report;

    BlockIteration(Basis& basis, EigenWatch& watch, const EigenOptions& options, Size max_iterations, Index wanted,
                   const SpectrumBounds& bounds, const Stopwatch& since_start, Step& step)
        : basis_(basis),
          watch_(watch),
          options_(options),
          max_iterations_(max_iterations),
          wanted_(wanted),
          bounds_(bounds),
          since_start_(since_start),
          step_(step) {}

    /// From start vectors in the basis's X to Ritz pairs; fills in all of the result but times.
    void run(EigenResult& result) {
        result.reason = basis_.refresh(options_.seed + 1) ? StopReason::running : StopReason::stagnated;
        Report report = basis_.residuals();
        while (result.reason == StopReason::running) {
            const EigenWatch::Look look = watch_.look(report.values, report.norms, result.iterations);
            result.reason = next(look, report, result);
            if (result.reason != StopReason::running) break;
            if (was_checked_) continue;
            step_(basis_, report, look.active, bounds_);
            ++result.iterations;
            if (result.iterations % refresh_interval == 0) basis_.refresh(options_.seed + 1);
            report = basis_.residuals();
        }
        basis_.multiply(0, basis_.block());
        report = basis_.residuals();
        result.pairs = watch_.pairs(report.values, report.norms, result.reason);
        result.norm_estimate = watch_.norm_estimate();
    }

private:
    static constexpr Size refresh_interval = 40;

    /// Whether to go on. Where the wanted pairs seem done, A X is computed afresh, and if that says otherwise so is the
    /// basis: `report` is then what to look at next.
    StopReason next(const EigenWatch::Look& look, Report& report, EigenResult& result) {
        constexpr double least_gain = 0.75;
        const bool seen = std::exchange(was_checked_, false);
        if (!seen) {
            if (options_.history) result.history.push_back(look.worst);
            const EigenProgress progress{.iteration = result.iterations,
                                         .relative_residual = look.worst,
                                         .converged = look.converged,
                                         .first_value = std::ldexp(report.values.front(), basis_.exponent()),
                                         .norm_estimate = std::ldexp(watch_.norm_estimate(), basis_.exponent())};
            const StopReason asked = ask_outside(basis_.backend(), options_, progress, since_start_);
            if (!look.finite) return StopReason::not_finite;
            if (asked != StopReason::running) return asked;
        }
        if (look.all_done || look.active.count == 0) {
            basis_.multiply(0, basis_.block());
            const Report fresh = basis_.residuals();
            const EigenWatch::Look truth = watch_.look(fresh.values, fresh.norms, result.iterations);
            if (!truth.finite) return StopReason::not_finite;
            if (truth.converged == wanted_) return StopReason::converged;
            if (truth.worst > least_gain * last_worst_) return StopReason::stagnated;
            last_worst_ = truth.worst;
            ++result.restarts;
            if (!basis_.refresh(options_.seed + 1)) return StopReason::stagnated;
            watch_.forget_stalls(result.iterations);
            report = basis_.residuals();
            was_checked_ = true;
            return StopReason::running;
        }
        return result.iterations < max_iterations_ ? StopReason::running : StopReason::max_iterations;
    }

    Basis& basis_;
    EigenWatch& watch_;
    const EigenOptions& options_;
    Size max_iterations_;
    Index wanted_;
    SpectrumBounds bounds_;
    const Stopwatch& since_start_;
    Step& step_;
    double last_worst_ = std::numeric_limits<double>::infinity();
    bool was_checked_ = false;
};

}  // namespace detail

/// Runs a block eigensolver whose iteration is step(basis, report, active, bounds): from the Ritz pairs in the basis
/// and their residuals to better ones. Where squares of A's entries would leave the range of numbers all of these are
/// of A divided by a power of two, 2^basis.exponent(); the result is of A. `parts`: of the basis, see RitzBasis.
/// `held_vectors`: of n elements, that a preconditioner holds for each column of the block.
template <class B, class T, class A, class Step>
EigenResult block_iteration(B& backend, const char* method, const A& a, MultivectorOf<B, T>& x,
                            const EigenOptions& options, Size default_iterations, Index parts, Step&& step,
                            Size held_vectors = 0) {
    using Scaled = ScaledOperator<A>;
    using Basis = RitzBasis<B, T, Scaled>;
    const Size n = rows_of_all(backend, x.n_rows());
    check_eigen_arguments(method, n, x.n_cols(), options);
    const Index block = block_columns(n, x.n_cols(), options);
    const bool whole_space = n <= whole_space_rows;
    if (!whole_space) {
        // What the preconditioner holds is no longer free on a device; of a host's memory all counts as available.
        const auto here = static_cast<Size>(agreed(backend, x.n_rows()));
        const Size held = HostBackend<B> ? 0 : held_vectors * block * here * static_cast<Size>(sizeof(T));
        const auto available = static_cast<Size>(agreed_least(backend, static_cast<double>(available_bytes(backend))));
        require_panels(method, here, x.n_cols(), options, Basis::vectors_per_column(parts) + held_vectors, sizeof(T),
                       available + held);
    }
    check_start_block<B, T>(backend, method, x.view());
    const Stopwatch stopwatch;
    EigenResult result;
    EigenWatch watch(options, x.n_cols(), whole_space ? x.n_cols() : block,
                     static_cast<double>(std::numeric_limits<T>::epsilon()));
    if (whole_space) {
        whole_space_ritz<B, T, A>(backend, a, options.which, x, result, watch);
        result.seconds = stopwatch.seconds();
        return result;
    }
    SpectrumBounds bounds = spectrum_bounds<B, T>(backend, a, x.n_rows(), options.seed);
    const Scaled scaled{a, far_exponent<T>(bounds.norm())};
    bounds = {std::ldexp(bounds.lower, -scaled.exponent), std::ldexp(bounds.upper, -scaled.exponent)};
    if (std::isfinite(bounds.norm())) watch.raise_norm_estimate(bounds.norm());
    Basis basis(backend, scaled, x.n_rows(), block, parts, options.which);
    random_panel<B, T>(backend, options.seed, basis.x());
    auto start = basis.x();
    start.n_cols = x.n_cols();
    assign_panel<B, T>(backend, T{1}, x.view(), start);

    const Size max_iterations = options.max_iterations >= 0 ? options.max_iterations : default_iterations;
    detail::BlockIteration<B, T, Scaled, Step> iteration(basis, watch, options, max_iterations, x.n_cols(), bounds,
                                                         stopwatch, step);
    iteration.run(result);
    scale_values(result, scaled.exponent);
    auto vectors = basis.x();
    vectors.n_cols = x.n_cols();
    assign_panel<B, T>(backend, T{1}, vectors, x.view());
    result.seconds = stopwatch.seconds();
    result.kernels = basis.kernels();
    return result;
}

}  // namespace stiefel
