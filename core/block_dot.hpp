#pragma once

#include "stiefel/core/reduction.hpp"

namespace stiefel {

/// <x, y> over n elements in double, with independent lanes summed in a fixed order. A loop with a
/// `reduction` in its place GCC 12 makes gathers of.
template <class T>
double block_dot(const T* x, const T* y, Index n) {
    constexpr Index lanes = 16;
    double partial[lanes] = {};
    Index i = 0;
    for (; i + lanes <= n; i += lanes) {
#pragma omp simd
        for (Index lane = 0; lane < lanes; ++lane) {
            partial[lane] += static_cast<double>(x[i + lane]) * static_cast<double>(y[i + lane]);
        }
    }
    for (Index lane = 0; i + lane < n; ++lane) {
        partial[lane] += static_cast<double>(x[i + lane]) * static_cast<double>(y[i + lane]);
    }
    return pairwise_sum(partial, lanes);
}

}  // namespace stiefel
