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

/// Sum over first <= i < first + n of value(i) by halving; error O(log n) eps instead of O(n) eps (Higham 2002,
/// section 4.2). Calls value in ascending order.
template <class Value>
double pairwise_sum(Size first, Size n, const Value& value) {
    if (n <= 8) {
        double sum = 0;
        for (Size i = first; i < first + n; ++i) sum += value(i);
        return sum;
    }
    const Size half = n / 2;
    const double left = pairwise_sum(first, half, value);
    return left + pairwise_sum(first + half, n - half, value);
}

template <class Value>
double pairwise_sum(Size n, const Value& value) {
    return pairwise_sum(Size{0}, n, value);
}

inline double pairwise_sum(const double* values, Size n) {
    return pairwise_sum(n, [values](Size i) { return values[i]; });
}

/// Sum over i < n of term(i), in blocks and those pairwise, for one thread: needs no room for partial sums.
template <class Term>
double blocked_sum(Index n, const Term& term) {
    return pairwise_sum(n_reduction_blocks(n), [&](Size block) {
        const Index first = static_cast<Index>(block) * reduction_block;
        const Index last = first + std::min(reduction_block, n - first);
        double sum = 0;
        for (Index i = first; i < last; ++i) sum += term(i);
        return sum;
    });
}

}  // namespace stiefel
