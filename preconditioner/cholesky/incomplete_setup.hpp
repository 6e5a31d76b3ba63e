#pragma once

#include "stiefel/core/timing.hpp"
#include "stiefel/preconditioner/cholesky/incomplete_cholesky.hpp"

#include <utility>

namespace stiefel::cholesky {

/// Throws OutOfMemory unless the host has room for the factor of `a` and its triangles in levels, all columns as full
/// as they may be.
template <class T>
void require_room(const HostCsr<T>& a, const IncompleteOptions& options);

/// What backends have in common: solve_with(columns of L) gives what solves. `since`: when the set-up began.
template <class B, class T, class SolveWith>
triangular::FactorSolve<B, T> factored(const HostCsr<T>& a, const IncompleteOptions& options, const Stopwatch& since,
                                       SolveWith&& solve_with) {
    require_room(a, options);
    const IncompleteFactor<T> factor = incomplete_factor(a, options);
    PreconditionerDetails about;
    about.setup.push_back({"factor", since.seconds()});
    triangular::TriangularSolve<B, T> solve = solve_with(factor.columns());
    about.seconds = since.seconds();
    about.setup.push_back({"levels", about.seconds - about.setup.back().seconds});
    about.factorisation = {.ordering = "rows as they come",
                           .level_sets = solve.n_levels(),
                           .nonzeros = factor.nonzeros(),
                           .shift = factor.shift};
    return {std::move(solve), std::move(about)};
}

}  // namespace stiefel::cholesky
