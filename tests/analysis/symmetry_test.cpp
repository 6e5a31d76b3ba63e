#include "stiefel/analysis/symmetry.hpp"

#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/power_law.hpp"
#include "stiefel/problems/random_csr.hpp"
#include "support/csr_checks.hpp"
#include "support/dense_matrix.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stiefel::test {
namespace {

using Rows = std::vector<std::vector<std::pair<Index, double>>>;

TEST(Symmetry, OfASymmetricMatrixIsExact) {
    for (int threads : {1, 2, 3, 7}) {
        OpenMP backend(threads);
        for (Index n : {1, 31, 32, 33, 1000}) {
            const SymmetryInfo info = check_symmetry(backend, poisson1d<double>(backend, n));
            EXPECT_TRUE(info.pattern_symmetric() && info.exactly_symmetric() && info.symmetric_within_tolerance()) << n;
        }
        const SymmetryInfo info = check_symmetry(backend, elasticity3d<float>(backend, 4, 3, 3));
        EXPECT_TRUE(info.pattern_symmetric() && info.exactly_symmetric() && info.symmetric_within_tolerance());
    }
}

TEST(Symmetry, OfAnEmptyMatrixIsExact) {
    OpenMP backend(2);
    for (Index n : {0, 1, 33}) {
        const auto a = csr_from_rows<double>(n, Rows(static_cast<std::size_t>(n)));
        const SymmetryInfo info = check_symmetry(backend, a);
        EXPECT_TRUE(info.pattern_symmetric() && info.exactly_symmetric() && info.symmetric_within_tolerance()) << n;
    }
}

TEST(Symmetry, NamesThePairThatDiffersByItsUpperEntry) {
    OpenMP backend(2);
    const auto a =
        csr_from_rows<double>(3, Rows{{{0, 4}, {1, 1}, {2, 2}}, {{0, 1}, {1, 9}, {2, 3}}, {{0, 2}, {1, 6}, {2, 16}}});
    const SymmetryInfo info = check_symmetry(backend, a);
    EXPECT_TRUE(info.pattern_symmetric());
    EXPECT_FALSE(info.exactly_symmetric());
    ASSERT_TRUE(info.first);
    EXPECT_EQ(info.first->row, 1);
    EXPECT_EQ(info.first->col, 2);
    EXPECT_EQ(info.first->value, 3);
    EXPECT_EQ(info.first->mirrored, 6);
    EXPECT_NEAR(info.first->asymmetry, 3.0 / std::sqrt(9.0 * 16.0), 1e-15);
}

TEST(Symmetry, TakesWhatIsNotStoredForZero) {
    OpenMP backend(2);
    // (0, 2) is stored below only, (1, 2) above only and as a zero.
    const auto a = csr_from_rows<double>(3, Rows{{{0, 2}}, {{1, 2}, {2, 0.0}}, {{0, 5}, {2, 2}}});
    const SymmetryInfo info = check_symmetry(backend, a);
    EXPECT_EQ(info.unmirrored.count, 2);
    EXPECT_EQ(info.unmirrored.first_row, 1);
    EXPECT_EQ(info.unmirrored.first_col, 2);
    ASSERT_TRUE(info.first && info.largest);
    EXPECT_EQ(info.first->row, 0);
    EXPECT_EQ(info.first->col, 2);
    EXPECT_EQ(info.first->value, 0);
    EXPECT_EQ(info.first->mirrored, 5);
    EXPECT_NEAR(info.first->asymmetry, 5 / std::sqrt(2.0 * 5.0), 1e-15);
}

TEST(Symmetry, ForgivesRoundingUpToTheTolerance) {
    OpenMP backend(2);
    const double e = 1e-13;
    const auto a = csr_from_rows<double>(
        3, Rows{{{0, 1}, {1, 0.5}}, {{0, 0.5 + e}, {1, 1}, {2, 0.25}}, {{1, 0.25 + 2 * e}, {2, 1}}});
    const SymmetryInfo forgiving = check_symmetry(backend, a);
    EXPECT_TRUE(forgiving.symmetric_within_tolerance());
    EXPECT_FALSE(forgiving.exactly_symmetric());
    EXPECT_NEAR(forgiving.largest->asymmetry, 2 * e, 1e-16);
    EXPECT_EQ(forgiving.largest->row, 1);
    const SymmetryInfo stern = check_symmetry(backend, a, 1e-14);
    ASSERT_TRUE(stern.first);
    EXPECT_EQ(stern.first->row, 0);
    const SymmetryInfo between = check_symmetry(backend, a, 1.5e-13);
    ASSERT_TRUE(between.first);
    EXPECT_EQ(between.first->row, 1);
}

// An entry of small rows is not judged by a large one elsewhere, and no measure overflows.
TEST(Symmetry, JudgesAnEntryByTheRowsThatItCouples) {
    OpenMP backend(2);
    const auto a = csr_from_rows<double>(3, Rows{{{0, 1e300}}, {{1, 1e-300}, {2, 1e-301}}, {{2, 1e-300}}});
    const SymmetryInfo info = check_symmetry(backend, a);
    ASSERT_TRUE(info.first);
    EXPECT_NEAR(info.first->asymmetry, 0.1, 1e-12);
}

TEST(Symmetry, TakesNaNForAsymmetricOffTheDiagonal) {
    OpenMP backend(2);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto a = csr_from_rows<double>(2, Rows{{{0, nan}, {1, nan}}, {{0, nan}, {1, 1}}});
    const SymmetryInfo info = check_symmetry(backend, a);
    ASSERT_TRUE(info.first);
    EXPECT_EQ(info.first->col, 1);
    EXPECT_EQ(info.first->asymmetry, std::numeric_limits<double>::infinity());
}

TEST(Symmetry, RefusesWhatIsNotSquare) {
    OpenMP backend(1);
    EXPECT_EQ(refusal([&] { check_symmetry(backend, stiefel::random_csr<double>(backend, 2, 3, 1, 1)); }),
              "check_symmetry: A must be square");
}

struct Expected {
    Size unmirrored = 0;
    Index first_row = -1;
    Index first_col = -1;
    double largest = 0;
};

/// By looking at all pairs of a dense matrix and its pattern.
Expected reference(const HostCsr<double>& a, double tolerance) {
    const DenseMatrix values = dense_matrix(a);
    DenseMatrix stored(a.n_rows, a.n_cols);
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            for (auto k = row_ptr[i]; k < row_ptr[i + 1]; ++k) stored(i, a.col_idx[k]) = 1;
        }
    });
    const auto row_max = [&](Index i) {
        long double m = 0;
        for (Index j = 0; j < a.n_cols; ++j) m = std::max(m, std::abs(values(i, j)));
        return m;
    };
    Expected expected;
    for (Index i = a.n_rows - 1; i >= 0; --i) {
        for (Index j = a.n_cols - 1; j >= 0; --j) {
            expected.unmirrored += stored(i, j) == 1 && stored(j, i) == 0 ? 1 : 0;
            if (values(i, j) == values(j, i)) continue;
            const long double asymmetry = std::abs(values(i, j) - values(j, i)) / std::sqrt(row_max(i) * row_max(j));
            expected.largest = std::max(expected.largest, static_cast<double>(asymmetry));
            if (asymmetry > tolerance) {
                expected.first_row = i;
                expected.first_col = j;
            }
        }
    }
    return expected;
}

TEST(Symmetry, AgreesWithADenseComparisonOnAnyNumberOfThreads) {
    for (double density : {0.02, 0.3, 1.0}) {
        for (Index n : {2, 31, 32, 33, 150}) {
            OpenMP one(1);
            const auto a = stiefel::random_csr<double>(one, n, n, density, 5);
            const double tolerance = 1.2;
            const Expected expected = reference(a, tolerance);
            for (int threads : {1, 2, 3, 7}) {
                OpenMP backend(threads);
                for (const SymmetryInfo& info : {check_symmetry(backend, a, tolerance),
                                                 check_symmetry(backend, with_wide_offsets(a), tolerance)}) {
                    EXPECT_EQ(info.unmirrored.count, expected.unmirrored);
                    EXPECT_EQ(info.first ? info.first->row : -1, expected.first_row);
                    EXPECT_EQ(info.first ? info.first->col : -1, expected.first_col);
                    const double largest = info.largest ? info.largest->asymmetry : 0;
                    const bool both_infinite = std::isinf(largest) && std::isinf(expected.largest);
                    EXPECT_TRUE(both_infinite || std::abs(largest - expected.largest) <= 1e-14 * expected.largest)
                        << largest << " " << expected.largest;
                }
            }
        }
    }
}

/// Whether pairs are found in one pass or by searches.
TEST(Symmetry, IsTheSameToTheBitOnAnyNumberOfThreads) {
    OpenMP one(1), three(3);
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const auto a = stiefel::random_csr<double>(one, 40, 40, 0.1, seed);
        const SymmetryInfo in_one_pass = check_symmetry(one, a, 0.5), by_search = check_symmetry(three, a, 0.5);
        ASSERT_TRUE(in_one_pass.largest && by_search.largest);
        EXPECT_EQ(in_one_pass.largest->asymmetry, by_search.largest->asymmetry) << seed;
        EXPECT_EQ(in_one_pass.largest->row, by_search.largest->row);
        EXPECT_EQ(in_one_pass.largest->col, by_search.largest->col);
        EXPECT_EQ(in_one_pass.largest->value, by_search.largest->value);
        EXPECT_EQ(in_one_pass.unmirrored.first_row, by_search.unmirrored.first_row);
        EXPECT_EQ(in_one_pass.unmirrored.first_col, by_search.unmirrored.first_col);
    }
}

}  // namespace
}  // namespace stiefel::test
