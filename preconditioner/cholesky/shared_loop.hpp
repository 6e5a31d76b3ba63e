#pragma once

#include "stiefel/core/types.hpp"

namespace stiefel::cholesky {

/// f(0) .. f(n - 1) in any order, on so many threads. One thread starts no team: within a team that takes longer than
/// many a loop.
template <class F>
void shared_loop(int threads, Index n, Index at_once, F&& f) {
    if (threads == 1 || n <= at_once) {
        for (Index k = 0; k < n; ++k) f(k);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(dynamic, at_once)
    for (Index k = 0; k < n; ++k) f(k);
}

}  // namespace stiefel::cholesky
