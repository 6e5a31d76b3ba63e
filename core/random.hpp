#pragma once

#include <cstdint>

namespace stiefel {

/// Counter-based random numbers: a pure function of (seed, row, k) and no state, so that rows are drawn in any order,
/// by any number of threads, and come out the same. Two rounds of the splitmix64 finaliser (Steele, Lea and Flood
/// 2014).
class RandomRow {
public:
    constexpr RandomRow(std::uint64_t seed, std::int64_t row)
        : key_(mix(mix(seed + increment) + static_cast<std::uint64_t>(row) * increment)) {}

    /// The k-th 64 random bits of this row.
    constexpr std::uint64_t bits(std::int64_t k) const {
        return mix(key_ + (static_cast<std::uint64_t>(k) + 1) * increment);
    }

    /// The k-th number of this row, uniform in the open interval (0, 1): its logarithm and its powers are finite.
    constexpr double uniform(std::int64_t k) const { return (static_cast<double>(bits(k) >> 12) + 0.5) * 0x1p-52; }

    /// The k-th number of this row, uniform among 0, 1, ..., n - 1 (n > 0) up to a bias below n / 2^64.
    constexpr std::int64_t below(std::int64_t k, std::int64_t n) const {
        __extension__ using Wide = unsigned __int128;
        return static_cast<std::int64_t>((static_cast<Wide>(bits(k)) * static_cast<Wide>(n)) >> 64);
    }

private:
    static constexpr std::uint64_t increment = 0x9e3779b97f4a7c15;

    static constexpr std::uint64_t mix(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

    std::uint64_t key_;
};

}  // namespace stiefel
