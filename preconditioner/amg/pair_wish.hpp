#pragma once

#include "stiefel/core/types.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace stiefel::amg {

/// How much a node wants to be paired with another, as a number: by their coupling, equal ones by whether the pair
/// begins at an even multiple of its stride, so that a line of equal couplings falls into pairs at once, then by the
/// stride. No two that a node might be paired with are wanted as much. Which one it is can be read from it. On hosts
/// and devices.
struct PairWish {
    static constexpr int dropped_bits = 14;  ///< couplings that differ in the tenth binary digit count as equal
    static constexpr std::uint32_t most_stride = 0x7fffffff;

    /// Of i for j; not 0. The coupling is positive.
    static constexpr std::uint64_t of(float coupling, Index i, Index j) {
        const std::uint32_t size = std::bit_cast<std::uint32_t>(coupling) >> dropped_bits;
        const auto stride = static_cast<std::uint32_t>(std::max(i > j ? i - j : j - i, 1));
        // Exact: a quotient of integers of 31 bits that is none lies far enough from the next one.
        const auto multiple = static_cast<std::int32_t>(static_cast<double>(std::min(i, j)) / stride);
        const std::uint64_t begins_even = ~static_cast<std::uint32_t>(multiple) & 1;
        const std::uint64_t is_ahead = j > i ? 1 : 0;
        return (std::uint64_t{size} << 33) | (begins_even << 32) | (std::uint64_t{most_stride - stride} << 1) |
               is_ahead;
    }

    /// Whom i wants.
    static constexpr Index other(Index i, std::uint64_t wish) {
        const auto stride = static_cast<Index>(most_stride - static_cast<std::uint32_t>((wish >> 1) & most_stride));
        return (wish & 1) != 0 ? i + stride : i - stride;
    }
};

}  // namespace stiefel::amg
