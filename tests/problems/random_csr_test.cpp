#include "stiefel/problems/random_csr.hpp"

#include "support/csr_checks.hpp"
#include "support/dense_matrix.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace stiefel::test {
namespace {

// The seeds are fixed, so the statistical bounds (five standard deviations) hold or do not hold once and for all.

TEST(RandomCsr, HasTheDensityAskedFor) {
    OpenMP backend(2);
    for (double density : {0.001, 0.01, 0.3, 0.9}) {
        const double n_places = 700.0 * 1300.0;
        const auto a = random_csr<double>(backend, 700, 1300, density, 11);
        EXPECT_TRUE(well_formed(a));
        EXPECT_NEAR(static_cast<double>(a.nnz()), n_places * density,
                    5 * std::sqrt(n_places * density * (1 - density)));
    }
}

TEST(RandomCsr, FillsColumnsEvenlyAndRowsIndependently) {
    OpenMP backend(2);
    const Index n_rows = 20000, n_cols = 50;
    const double density = 0.2;
    const auto a = random_csr<double>(backend, n_rows, n_cols, density, 3);
    std::vector<int> in_column(static_cast<std::size_t>(n_cols));
    for (Index j : a.col_idx.span()) ++in_column[static_cast<std::size_t>(j)];
    for (int count : in_column) EXPECT_NEAR(count, n_rows * density, 5 * std::sqrt(n_rows * density * (1 - density)));
    // Binomial row lengths: variance n p (1 - p), itself estimated with a relative deviation of about sqrt(2 / n_rows).
    double square_sum = 0;
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < n_rows; ++i) {
            const double deviation = static_cast<double>(row_ptr[i + 1] - row_ptr[i]) - n_cols * density;
            square_sum += deviation * deviation;
        }
    });
    const double variance = n_cols * density * (1 - density);
    EXPECT_NEAR(square_sum / n_rows, variance, 5 * variance * std::sqrt(2.0 / n_rows));
}

TEST(RandomCsr, ValuesAreUniformBetweenMinusOneAndOne) {
    OpenMP backend(2);
    const auto a = random_csr<double>(backend, 1000, 1000, 0.1, 4);
    const auto n = static_cast<double>(a.nnz());
    double sum = 0, square_sum = 0;
    for (double v : a.values.span()) {
        ASSERT_TRUE(v > -1 && v < 1);
        sum += v;
        square_sum += v * v;
    }
    EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(3 * n));
    EXPECT_NEAR(square_sum / n, 1.0 / 3.0, 5 * std::sqrt(4.0 / 45.0 / n));
}

TEST(RandomCsr, KnowsTheExtremes) {
    OpenMP backend(2);
    EXPECT_EQ(random_csr<double>(backend, 33, 31, 0, 1).nnz(), 0);
    EXPECT_EQ(random_csr<double>(backend, 33, 31, 1, 1).nnz(), 33 * 31);
    EXPECT_EQ(random_csr<double>(backend, 33, 31, 1e-300, 1).nnz(), 0);
    EXPECT_TRUE(well_formed(random_csr<float>(backend, 0, 31, 0.5, 1)));
    EXPECT_TRUE(well_formed(random_csr<float>(backend, 33, 0, 0.5, 1)));
    EXPECT_TRUE(well_formed(random_csr<float>(backend, 33, 31, 1, 1)));
}

TEST(RandomCsr, DependsOnTheSeedAndNotOnTheThreads) {
    OpenMP one(1);
    const auto a = random_csr<double>(one, 5000, 200, 0.05, 9);
    for (int threads : {2, 3, 7}) {
        OpenMP backend(threads);
        EXPECT_TRUE(bit_equal(a, random_csr<double>(backend, 5000, 200, 0.05, 9)));
    }
    EXPECT_FALSE(bit_equal(a, random_csr<double>(one, 5000, 200, 0.05, 10)));
}

TEST(RandomCsr, RefusesSenselessArgumentsByName) {
    OpenMP backend(1);
    EXPECT_EQ(refusal([&] { random_csr<double>(backend, -1, 1, 0.5, 1); }),
              "random_csr: n_rows = -1, expected at least 0");
    EXPECT_EQ(refusal([&] { random_csr<double>(backend, 1, 1, 1.5, 1); }),
              "random_csr: density = 1.5, expected at most 1");
    EXPECT_EQ(refusal([&] { random_csr<double>(backend, 1, 1, std::nan(""), 1); }),
              "random_csr: density = nan, expected at least 0");
}

}  // namespace
}  // namespace stiefel::test
