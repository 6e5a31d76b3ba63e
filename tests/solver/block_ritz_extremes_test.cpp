#include "stiefel/solver/block_ritz_extremes.hpp"

#include "stiefel/core/serial.hpp"
#include "stiefel/solver/block_cg_record.hpp"
#include "stiefel/solver/block_cg_spectrum.hpp"

#include "support/dense_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace stiefel::test {
namespace {

DenseMatrix product(const DenseMatrix& a, const DenseMatrix& b) {
    DenseMatrix c(a.n_rows, b.n_cols);
    for (Index i = 0; i < a.n_rows; ++i) {
        for (Index j = 0; j < b.n_cols; ++j) {
            for (Index m = 0; m < a.n_cols; ++m) c(i, j) += a(i, m) * b(m, j);
        }
    }
    return c;
}

/// By Gauss and Jordan; a is positive definite.
DenseMatrix inverse(DenseMatrix a) {
    const Index k = a.n_rows;
    DenseMatrix b(k, k);
    for (Index i = 0; i < k; ++i) b(i, i) = 1;
    for (Index p = 0; p < k; ++p) {
        const long double pivot = a(p, p);
        for (Index j = 0; j < k; ++j) {
            a(p, j) /= pivot;
            b(p, j) /= pivot;
        }
        for (Index i = 0; i < k; ++i) {
            const long double factor = i == p ? 0 : a(i, p);
            for (Index j = 0; j < k; ++j) {
                a(i, j) -= factor * a(p, j);
                b(i, j) -= factor * b(p, j);
            }
        }
    }
    return b;
}

/// I - 2 v v' / v' v, v random: its own inverse.
DenseMatrix reflection(Index k, std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    std::vector<long double> v;
    long double squares = 0;
    for (Index i = 0; i < k; ++i) {
        v.push_back(normal(random));
        squares += v.back() * v.back();
    }
    DenseMatrix h(k, k);
    for (Index i = 0; i < k; ++i) {
        for (Index j = 0; j < k; ++j) {
            h(i, j) = (i == j ? 1 : 0) - 2 * v[static_cast<std::size_t>(i)] * v[static_cast<std::size_t>(j)] / squares;
        }
    }
    return h;
}

void append(const DenseMatrix& a, double size, std::vector<double>& to) {
    for (const long double value : a.values) to.push_back(static_cast<double>(value) * size);
}

/// What block CG would leave of the 5-point Laplacian of n x k points times `size`, with bases that are turned each in
/// a way of its own: C_1 = B, C_j+1 = B - C_j^-1, zeta_j = C_j^-1 for B = tridiag(-1, 4, -1).
std::vector<double> five_points(int n, Index k, double size) {
    DenseMatrix b(k, k);
    for (Index i = 0; i < k; ++i) {
        b(i, i) = 4;
        if (i > 0) b(i, i - 1) = b(i - 1, i) = -1;
    }
    std::mt19937_64 random(3);
    std::vector<double> matrices;
    DenseMatrix curvature = b, turn = reflection(k, random);
    for (int j = 0; j < n; ++j) {
        const DenseMatrix xi = inverse(curvature), next = reflection(k, random);
        append(product(product(turn, curvature), turn), size, matrices);
        append(product(product(turn, xi), turn), 1 / size, matrices);
        append(product(product(next, xi), turn), 1, matrices);
        curvature = b;
        for (std::size_t e = 0; e < xi.values.size(); ++e) curvature.values[e] -= xi.values[e];
        turn = next;
    }
    return matrices;
}

double end(int n, bool largest) {
    const double angle = std::numbers::pi / (2 * (n + 1));
    return 4 * std::pow(largest ? std::cos(angle) : std::sin(angle), 2);
}

TEST(BlockRitzExtremes, AreTheOutermostEigenvalues) {
    for (const Index k : {1, 2, 5, 16, 64}) {
        for (const int n : {1, 2, 3, 10, 80, 2000}) {
            if (Size{n} * k * k > 10000) continue;
            for (const double size : {1e-290, 1.0, 1e290}) {
                SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(k) + " of " + std::to_string(std::log10(size)));
                const auto ritz = block_ritz_extremes(k, five_points(n, k, size));
                ASSERT_TRUE(ritz.has_value());
                const double smallest = end(n, false) + end(k, false), largest = end(n, true) + end(k, true);
                EXPECT_TRUE(ritz->smallest / size >= smallest * (1 - 1e-5) && ritz->smallest / size <= 1.03 * smallest)
                    << ritz->smallest / size << " for " << smallest;
                EXPECT_TRUE(ritz->largest / size <= largest * (1 + 1e-5) && ritz->largest / size >= largest / 1.03)
                    << ritz->largest / size << " for " << largest;
            }
        }
    }
}

/// Small eigenvalues are not lost in the rounding of large ones.
TEST(BlockRitzExtremes, HoldWhateverTheCondition) {
    for (const int decades : {5, 20, 100}) {
        std::vector<double> matrices;
        for (int j = 0; j <= decades; ++j) {
            const double d = std::pow(10.0, -j);
            matrices.insert(matrices.end(), {d, 0, 0, 2 * d, 1 / d, 0, 0, 0.5 / d, 1e-3, 0, 0, 1e-3});
        }
        const auto ritz = block_ritz_extremes(2, matrices);
        ASSERT_TRUE(ritz.has_value());
        EXPECT_TRUE(std::abs(ritz->condition() / (2 * std::pow(10.0, decades)) - 1) <= 0.03) << ritz->condition();
    }
}

TEST(BlockRitzExtremes, AreAbsentWhereNothingIsKnown) {
    EXPECT_FALSE(block_ritz_extremes(3, {}).has_value());
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double bad : {0.0, nan, std::numeric_limits<double>::infinity()}) {
        EXPECT_FALSE(block_ritz_extremes(1, std::vector{bad, 1.0, 0.5}).has_value()) << bad;
        EXPECT_FALSE(block_ritz_extremes(1, std::vector{1.0, bad, 0.5}).has_value()) << bad;
    }
}

/// Those of a run, wherever in a solve it begins, as far as they are kept.
TEST(BlockCgSpectrum, IsThatOfTheRun) {
    Serial backend;
    constexpr Index k = 16;
    constexpr int n = 40;
    constexpr Size size = BlockCgRecord::doubles(k), kept = BlockCgRecord::iterations(k);
    const std::vector<double> matrices = five_points(n, k, 1);
    BlockCgSpectrum<Serial> spectrum(backend, k);
    const BlockCgRecord record = spectrum.record();
    EXPECT_TRUE(record.keeps(kept - 1));
    EXPECT_FALSE(record.keeps(kept));
    EXPECT_FALSE(BlockCgRecord{}.keeps(0));
    for (const Size begin : {Size{0}, Size{5}, kept - n, kept - 13}) {
        for (Size i = 0; i < kept; ++i) {
            const Size j = i >= begin && i < begin + n ? i - begin : 0;  // all others have other ends
            std::copy_n(matrices.data() + j * size, size, record.curvature(i));
        }
        const Size n_kept = std::min<Size>(n, kept - begin);
        const auto expected =
            block_ritz_extremes(k, std::span(matrices).first(static_cast<std::size_t>(n_kept * size)));
        const auto ritz = spectrum.of(backend, begin, begin + n);
        ASSERT_TRUE(ritz.has_value());
        EXPECT_EQ(ritz->smallest, expected->smallest) << begin;
        EXPECT_EQ(ritz->largest, expected->largest) << begin;
        EXPECT_FALSE(spectrum.of(backend, begin, begin).has_value());
    }
    EXPECT_FALSE(spectrum.of(backend, kept, kept + n).has_value());
}

}  // namespace
}  // namespace stiefel::test
