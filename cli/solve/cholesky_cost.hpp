#pragma once

#include "stiefel/preconditioner/cholesky/symbolic.hpp"

namespace stiefel::cli {

// What a factorisation is expected to take beside iterations: by counts, not by a clock, so that what is decided by it
// is decided alike in every run. Seconds on two cores (docs/performance/time_to_solution.md).

/// Of A's pattern made a graph, and of that graph ordered and analysed.
constexpr double compression_seconds(Size nnz) {
    return 4e-9 * static_cast<double>(nnz);
}
inline double analysis_seconds(const cholesky::Graph& graph) {
    return 8e-8 * (static_cast<double>(graph.adjacent.size()) + graph.n);
}

/// Of the factor, and of two applications.
constexpr double factor_seconds(const cholesky::Prediction& prediction) {
    return prediction.flops / 4e10 + 5e-9 * prediction.nonzeros;
}

/// Of an iteration that moves so many bytes: small systems stay in a cache, and threads wait for each other.
constexpr double iteration_seconds(double bytes) {
    constexpr double in_cache = 3.2e7, waiting = 1e-5;
    return waiting + bytes / (bytes < in_cache ? 4e10 : 2e10);
}

}  // namespace stiefel::cli
