#pragma once

#include "stiefel/core/types.hpp"

namespace stiefel {

/// Rows in one partial sum of a reduction. Every parallel backend sums the rows of a block in a fixed order, then the
/// blocks by pairwise_sum: the order depends on n alone, not on threads.
inline constexpr Index reduction_block = 1024;

inline Index n_reduction_blocks(Index n) {
    return (n + reduction_block - 1) / reduction_block;
}

/// Sum of n numbers by halving; error O(log n) eps instead of O(n) eps (Higham 2002, section 4.2).
inline double pairwise_sum(const double* values, Size n) {
    if (n <= 8) {
        double sum = 0;
        for (Size i = 0; i < n; ++i) sum += values[i];
        return sum;
    }
    const Size half = n / 2;
    return pairwise_sum(values, half) + pairwise_sum(values + half, n - half);
}

}  // namespace stiefel
