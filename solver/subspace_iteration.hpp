#pragma once

#include "stiefel/preconditioner/chebyshev_interval.hpp"
#include "stiefel/solver/block_iteration.hpp"

namespace stiefel {

namespace detail {

/// X := (A - c I) X with the far end of the spectrum as c, so that the wanted end dominates; c = 0 for `magnitude`.
template <class B, class T, class A>
void power_step(B& backend, RitzBasis<B, T, A>& basis, EigenEnd which, const SpectrumBounds& bounds) {
    const double shift = which == EigenEnd::largest ? bounds.lower : which == EigenEnd::smallest ? bounds.upper : 0.0;
    const auto x = basis.x();
    const auto y = basis.spare();
    basis.multiply(x, y, T{1}, T{0});
    for_rows(backend, y.n_rows, 3 * panel_bytes(y),
             CombineRows<T, typename B::memory>{static_cast<T>(-shift), x, T{0}, x, y});
    basis.swap_spare();
}

/// X := p(A) X, p the Chebyshev polynomial of the unwanted interval, scaled to 1 at the outermost Ritz value so that
/// nothing overflows (Zhou and Saad 2007, algorithm 3.1 there).
template <class B, class T, class A>
void filter_step(B& backend, RitzBasis<B, T, A>& basis, double sign, const ChebyshevInterval& unwanted, int degree) {
    const double half = (unwanted.upper - unwanted.lower) / 2;
    const double centre = (unwanted.upper + unwanted.lower) / 2;
    const double first = half / (unwanted.target - centre);
    double sigma = first;
    for (int i = 1; i <= degree; ++i) {  // Y := factor (sign A - centre) X - older Y, and they change places
        const double next = i == 1 ? sigma : 1 / (2 / first - sigma);
        const double factor = (i == 1 ? 1 : 2) * next / half;
        const double older = i == 1 ? 0 : sigma * next;
        const auto x = basis.x();
        const auto y = basis.spare();
        basis.multiply(x, y, static_cast<T>(sign * factor), static_cast<T>(-older));
        for_rows(backend, y.n_rows, 3 * panel_bytes(y),
                 CombineRows<T, typename B::memory>{static_cast<T>(-factor * centre), x, T{0}, x, y});
        basis.swap_spare();
        sigma = next;
    }
}

}  // namespace detail

/// Finds eigenpairs of a symmetric matrix, definite or not, by subspace iteration with Rayleigh-Ritz (Rutishauser
/// 1969): each iteration multiplies the block by A, shifted so that the wanted end dominates, orthonormalises it and
/// takes the Ritz vectors. With filter_degree > 0 the block is multiplied by a Chebyshev polynomial in A of that degree
/// instead, small on the unwanted part of the spectrum as the last Ritz values tell it (Saad 1984; Zhou, Saad, Tiago
/// and Chelikowsky 2006): far fewer iterations, with no more vectors.
///   a  n x n operator in the backend's memory, with spmm()
///   x  n x k as for lobpcg
/// which: smallest, largest or, without filter, magnitude: the eigenvalues furthest from 0, of either sign; a pair
/// lambda, -lambda that is cut by the end of the block never converges. max_iterations: 10000 unless given.
/// Errors, small matrices and determinism as lobpcg. Memory: 5 vectors of n for each of the k + guard columns.
template <class B, class T, PanelOperatorOn<B, T> A>
EigenResult subspace_iteration(B& backend, const A& a, MultivectorOf<B, T>& x, const EigenOptions& options = {}) {
    require(options.filter_degree >= 0, "subspace_iteration: filter_degree must not be negative");
    require(options.filter_degree == 0 || options.which != EigenEnd::magnitude,
            "subspace_iteration: a Chebyshev filter finds one end of the spectrum, smallest or largest");
    const double sign = options.which == EigenEnd::largest ? -1 : 1;
    const auto step = [&](auto& basis, const auto& report, const ColumnList&, const SpectrumBounds& bounds) {
        if (options.filter_degree == 0) {
            detail::power_step(backend, basis, options.which, bounds);
        } else {
            const double upper = sign > 0 ? bounds.upper : -bounds.lower;
            const RitzSpan span{report.values.front(), report.values.back()};
            detail::filter_step(backend, basis, sign, chebyshev_interval(sign, span, upper, options.filter_degree),
                                options.filter_degree);
        }
        basis.refresh(options.seed + 1);
    };
    return block_iteration<B, T, A>(backend, "subspace_iteration", a, x, options, 10000, 1, step);
}

}  // namespace stiefel
