#include "stiefel/problems/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace stiefel::test {
namespace {

// The seeds are fixed, so the statistical bounds below hold or do not hold once and for all. They are five standard
// deviations wide.

TEST(Random, NumbersLieInTheOpenUnitIntervalAndAreUniform) {
    constexpr int n = 200000;
    constexpr int n_bins = 16;
    std::vector<int> bins(n_bins);
    double sum = 0;
    for (int k = 0; k < n; ++k) {
        const double u = RandomRow(1, k / 100).uniform(k % 100);
        ASSERT_TRUE(u > 0 && u < 1);
        sum += u;
        ++bins[static_cast<std::size_t>(u * n_bins)];
    }
    EXPECT_NEAR(sum / n, 0.5, 5 / std::sqrt(12.0 * n));
    const double p = 1.0 / n_bins;
    for (int count : bins) EXPECT_NEAR(count, n * p, 5 * std::sqrt(n * p * (1 - p)));
}

constexpr int n_pairs = 100000;

/// No lambda, which the compiler would try to evaluate for seconds.
template <class First, class Second>
double correlation(First first, Second second) {
    double sum = 0;
    for (int k = 0; k < n_pairs; ++k) sum += (first(k) - 0.5) * (second(k) - 0.5);
    return 12 * sum / n_pairs;
}

TEST(Random, RowsSeedsAndCountersAreUncorrelated) {
    const auto base = [](int k) { return RandomRow(7, k).uniform(0); };
    const double bound = 5 / std::sqrt(double{n_pairs});
    EXPECT_NEAR(correlation(base, [](int k) { return RandomRow(7, k + 1).uniform(0); }), 0, bound);
    EXPECT_NEAR(correlation(base, [](int k) { return RandomRow(7, k).uniform(1); }), 0, bound);
    EXPECT_NEAR(correlation(base, [](int k) { return RandomRow(8, k).uniform(0); }), 0, bound);
    EXPECT_NEAR(correlation(base, [](int k) { return RandomRow(7, 0).uniform(k); }), 0, bound);
}

TEST(Random, NeighbouringSeedsRowsAndCountersShareNoNumber) {
    std::set<std::uint64_t> seen;
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
        for (int row = 0; row < 64; ++row) {
            for (int k = 0; k < 16; ++k) seen.insert(RandomRow(seed, row).bits(k));
        }
    }
    EXPECT_EQ(seen.size(), 16u * 64u * 16u);
}

TEST(Random, BelowReachesEveryNumberAndNoOther) {
    std::vector<int> count(7);
    for (int k = 0; k < 7000; ++k) {
        const auto number = RandomRow(3, 0).below(k, 7);
        ASSERT_TRUE(number >= 0 && number < 7);
        ++count[static_cast<std::size_t>(number)];
    }
    for (int c : count) EXPECT_NEAR(c, 1000, 5 * std::sqrt(1000 * 6.0 / 7.0));
    EXPECT_EQ(RandomRow(3, 0).below(0, 1), 0);
}

}  // namespace
}  // namespace stiefel::test
