#include "stiefel/problems/power_law.hpp"

#include "support/csr_checks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace stiefel::test {
namespace {

// The seeds are fixed, so the statistical bounds (five standard deviations) hold or do not hold once and for all.

template <class T>
std::vector<double> row_lengths(const HostCsr<T>& a) {
    std::vector<double> lengths;
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) lengths.push_back(static_cast<double>(row_ptr[i + 1] - row_ptr[i]));
    });
    return lengths;
}

// An exponent below 1/2 leaves the row lengths a variance, c^2 (1 / (1 - 2 e) - 1 / (1 - e)^2) + rounding's <= 1/4.
TEST(PowerLawRows, KeepTheMeanAskedFor) {
    OpenMP backend(2);
    const double e = 0.3;
    const Index n = 50000;
    for (double mean : {0.7, 3.3, 12.0}) {
        const auto a = power_law_rows<double>(backend, n, n, {.mean = mean, .exponent = e});
        const double c = mean * (1 - e);
        const double variance = c * c * (1 / (1 - 2 * e) - 1 / ((1 - e) * (1 - e))) + 0.25;
        EXPECT_TRUE(well_formed(a));
        EXPECT_NEAR(static_cast<double>(a.nnz()) / n, mean, 5 * std::sqrt(variance / n)) << mean;
    }
}

// P(length > m) = P(u < (c / m)^(1 / e)), up to the rounding of lengths by less than one.
TEST(PowerLawRows, HaveTheTailAskedFor) {
    OpenMP backend(2);
    const double e = 0.62, mean = 10.5;
    const Index n = 200000;
    const std::vector<double> lengths =
        row_lengths(power_law_rows<float>(backend, n, n, {.mean = mean, .exponent = e}));
    const double c = mean * (1 - e);
    for (double m : {10.0, 40.0, 160.0, 640.0}) {
        const auto longer = static_cast<double>(
            std::count_if(lengths.begin(), lengths.end(), [m](double length) { return length > m; }));
        const double most = n * std::pow(c / m, 1 / e);
        const double least = n * std::pow(c / (m + 1), 1 / e);
        EXPECT_TRUE(longer >= least - 5 * std::sqrt(least) && longer <= most + 5 * std::sqrt(most))
            << longer << " rows longer than " << m << ", expected " << least << " to " << most;
    }
    EXPECT_GE(*std::min_element(lengths.begin(), lengths.end()), std::floor(c));
}

// Columns are n_cols w^skew: the share of entries in the first t n_cols columns is t^(1 / skew).
TEST(PowerLawRows, CrowdTheirColumnsAtTheLeft) {
    OpenMP backend(2);
    const Index n = 20000;
    for (double skew : {1.0, 2.0, 3.0}) {
        const auto a = power_law_rows<double>(backend, n, n, {.mean = 3, .exponent = 0, .skew = skew});
        const auto nnz = static_cast<double>(a.nnz());
        for (double t : {0.1, 0.5, 0.9}) {
            const auto count = static_cast<double>(
                std::count_if(a.col_idx.begin(), a.col_idx.end(), [&](Index j) { return j < t * n; }));
            const double p = std::pow(t, 1 / skew);
            EXPECT_NEAR(count, nnz * p, 5 * std::sqrt(nnz * p * (1 - p))) << skew << " " << t;
        }
    }
}

TEST(PowerLawRows, ExponentZeroMakesRowsOfALength) {
    OpenMP backend(2);
    for (double length : row_lengths(power_law_rows<double>(backend, 1000, 100, {.mean = 8, .exponent = 0}))) {
        EXPECT_EQ(length, 8);
    }
}

// Rows cannot be longer than n_cols, and a crowded or full row still has distinct columns.
TEST(PowerLawRows, AreCutAtTheNumberOfColumns) {
    OpenMP backend(2);
    for (double skew : {1.0, 2.0, 20.0}) {
        const auto a = power_law_rows<double>(backend, 3000, 40, {.mean = 30, .exponent = 0.5, .skew = skew});
        EXPECT_TRUE(well_formed(a)) << skew;
        const std::vector<double> lengths = row_lengths(a);
        EXPECT_EQ(*std::max_element(lengths.begin(), lengths.end()), 40);
    }
    EXPECT_TRUE(well_formed(power_law_rows<double>(backend, 0, 10)));
    EXPECT_EQ(power_law_rows<double>(backend, 10, 0).nnz(), 0);
    EXPECT_EQ(power_law_rows<double>(backend, 10, 10, {.mean = 0}).nnz(), 0);
}

TEST(PowerLawRows, DependOnTheSeedAndNotOnTheThreads) {
    OpenMP one(1);
    const auto a = power_law_rows<double>(one, 5000, 5000, {.seed = 1});
    for (int threads : {2, 3, 7}) {
        OpenMP backend(threads);
        EXPECT_TRUE(bit_equal(a, power_law_rows<double>(backend, 5000, 5000, {.seed = 1})));
    }
    EXPECT_FALSE(bit_equal(a, power_law_rows<double>(one, 5000, 5000, {.seed = 2})));
}

TEST(PowerLawRows, RefuseSenselessArgumentsByName) {
    OpenMP backend(1);
    EXPECT_EQ(refusal([&] { power_law_rows<double>(backend, 1, -1); }),
              "power_law_rows: n_cols = -1, expected at least 0");
    EXPECT_EQ(refusal([&] { power_law_rows<double>(backend, 1, 1, {.mean = -1}); }),
              "power_law_rows: mean = -1, expected at least 0");
    EXPECT_EQ(refusal([&] { power_law_rows<double>(backend, 1, 1, {.exponent = 1}); }),
              "power_law_rows: exponent = 1, expected less than 1");
    EXPECT_EQ(refusal([&] { power_law_rows<double>(backend, 1, 1, {.skew = 0.5}); }),
              "power_law_rows: skew = 0.5, expected at least 1");
}

}  // namespace
}  // namespace stiefel::test
