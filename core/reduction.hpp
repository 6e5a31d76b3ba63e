#pragma once

#include "stiefel/core/types.hpp"

#include <algorithm>

namespace stiefel {

/// Rows in one partial sum of a reduction. Every parallel backend sums the rows of a block in a fixed order, then the
/// blocks by pairwise_sum: the order depends on n alone, not on threads.
inline constexpr Index reduction_block = 1024;

inline Index n_reduction_blocks(Index n) {
    return n / reduction_block + (n % reduction_block != 0);
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

/// The same sum without stored partial sums, for one thread: sum over i < n of term(i), in blocks and pairwise.
template <class Term>
double blocked_sum(Index n, Term&& term) {
    const auto block_sum = [&](Index block) {
        const Index first = block * reduction_block;
        const Index last = first + std::min(reduction_block, n - first);
        double sum = 0;
        for (Index i = first; i < last; ++i) sum += term(i);
        return sum;
    };
    const auto sum_blocks = [&](const auto& self, Index first, Index count) -> double {
        if (count <= 8) {
            double sum = 0;
            for (Index block = first; block < first + count; ++block) sum += block_sum(block);
            return sum;
        }
        const Index half = count / 2;
        return self(self, first, half) + self(self, first + half, count - half);
    };
    return sum_blocks(sum_blocks, 0, n_reduction_blocks(n));
}

}  // namespace stiefel
