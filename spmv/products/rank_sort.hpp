#pragma once

#include "stiefel/core/types.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace stiefel {

/// Rows up to here are sorted by rank_sort.
inline constexpr Index most_ranked = 64;

/// Sorts n <= most_ranked entries of distinct columns: an entry's place is the number of smaller columns. That is n^2
/// comparisons, but sixteen at a time and none to branch on: for rows of a sparse product the fastest by far.
template <class T>
void rank_sort(Index* cols, T* values, Index n) {
    constexpr Index lanes = 16;
    std::array<Index, most_ranked> key;
    std::array<T, most_ranked> value;
    const Index padded = (n + lanes - 1) / lanes * lanes;
    std::copy_n(cols, n, key.begin());
    std::copy_n(values, n, value.begin());
    std::fill(key.begin() + n, key.begin() + padded, std::numeric_limits<Index>::max());
    for (Index begin = 0; begin < n; begin += lanes) {
        const Index* const of_lane = key.data() + begin;
        std::array<Index, lanes> rank{};
        for (Index j = 0; j < n; ++j) {
            const Index other = key[static_cast<std::size_t>(j)];
            for (Index k = 0; k < lanes; ++k) rank[static_cast<std::size_t>(k)] += other < of_lane[k] ? 1 : 0;
        }
        for (Index k = 0; k < std::min(lanes, n - begin); ++k) {
            const Index to = rank[static_cast<std::size_t>(k)];
            cols[to] = of_lane[k];
            values[to] = value[static_cast<std::size_t>(begin + k)];
        }
    }
}

}  // namespace stiefel
