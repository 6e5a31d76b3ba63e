#pragma once

#include "stiefel/core/openmp.hpp"

namespace stiefel {

/// Reduces over the rows in parallel: add(row, partial) adds a row to a partial result, Partial::merge(other) joins
/// two. The order of merging is arbitrary, so merging must be exact and commutative: counts, extremes, firsts.
template <class Partial, class Add>
Partial reduce_rows(OpenMP& backend, Index n_rows, const Add& add) {
    Partial total;
#pragma omp parallel num_threads(backend.threads())
    {
        Partial partial;
#pragma omp for schedule(static) nowait
        for (Index row = 0; row < n_rows; ++row) add(row, partial);
#pragma omp critical(stiefel_reduce_rows)
        total.merge(partial);
    }
    return total;
}

}  // namespace stiefel
