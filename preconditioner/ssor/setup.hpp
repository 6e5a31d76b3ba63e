#pragma once

#include "stiefel/core/timing.hpp"
#include "stiefel/preconditioner/ssor/ssor.hpp"
#include "stiefel/preconditioner/ssor/triangles.hpp"

#include <utility>

namespace stiefel::ssor {

/// Throws OutOfMemory unless the host has room for the triangles of `a`.
template <class T>
void require_room(const HostCsr<T>& a);

/// What backends have in common: solve_with(triangles) gives what solves, on so many threads. `since`: when the set-up
/// began.
template <class B, class T, class SolveWith>
triangular::FactorSolve<B, T> relaxed(const HostCsr<T>& a, const Options& options, const Stopwatch& since, int threads,
                                      SolveWith&& solve_with) {
    check(options);
    require(a.n_rows == a.n_cols, "ssor: A must be square");
    require_room(a);
    const Colouring colouring = greedy_colouring(a);
    PreconditionerDetails about;
    about.setup.push_back({"colour", since.seconds()});
    triangular::TriangularSolve<B, T> solve = solve_with(relaxation_triangles(a, colouring, options, threads));
    about.seconds = since.seconds();
    about.setup.push_back({"levels", about.seconds - about.setup.back().seconds});
    about.factorisation = {.ordering = "rows by colours", .level_sets = solve.n_levels(), .nonzeros = solve.nonzeros()};
    return {std::move(solve), std::move(about)};
}

}  // namespace stiefel::ssor
