#pragma once

#include "stiefel/solver/subspace_iteration.hpp"

namespace stiefel {

/// Finds one eigenpair of a symmetric matrix by power iteration (von Mises and Pollaczek-Geiringer 1929), which is
/// subspace iteration with one vector: x becomes A x / |A x|, the Ritz value is x'A x.
/// which: `magnitude` iterates with A itself and finds the eigenvalue furthest from 0; where lambda and -lambda are
/// both furthest there is no such pair and it does not converge. `largest` and `smallest` iterate with A shifted by the
/// other end of its spectrum, as a few steps of Lanczos bound it, and so find the algebraic ends of any symmetric
/// matrix. Converges as (|lambda_2 - shift| / |lambda_1 - shift|)^iteration: slowly where the end is crowded.
///   a, x and errors as subspace_iteration, x: n x 1. guard_vectors is not used.
template <class B, class T, PanelOperatorOn<B, T> A>
EigenResult power_iteration(B& backend, const A& a, MultivectorOf<B, T>& x, EigenOptions options = {}) {
    require(x.n_cols() == 1, "power_iteration: the start block must have one column");
    options.guard_vectors = 0;
    options.filter_degree = 0;
    return subspace_iteration(backend, a, x, options);
}

}  // namespace stiefel
