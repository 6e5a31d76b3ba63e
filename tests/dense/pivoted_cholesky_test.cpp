#include "stiefel/dense/small/cholesky.hpp"

#include "stiefel/core/random.hpp"
#include "support/bounds.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace stiefel::test {
namespace {

using Matrix = std::vector<double>;

/// What pivoted_cholesky makes of a matrix; everything that it must write is NaN before.
struct Factored {
    Index n;
    Matrix a, r, v, rest;
    Index rank;

    Factored(Index size, const Matrix& matrix, const RankTolerance& tolerance)
        : n(size), a(matrix), r(nan(n * n)), v(nan(n * n)), rest(nan(n)) {
        Matrix work = a, room = nan(n * n);
        rank =
            pivoted_cholesky<192>(HostTeam{}, n, work.data(), room.data(), tolerance, r.data(), v.data(), rest.data());
    }
    static Matrix nan(Index size) {
        return Matrix(static_cast<std::size_t>(size), std::numeric_limits<double>::quiet_NaN());
    }
    static double at(const Matrix& m, Index e) { return m[static_cast<std::size_t>(e)]; }

    /// A = R' R to rounding, but for what is left of the rows that were no pivots.
    void expect_factorises(double tolerance) const {
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j < n; ++j) {
                long double product = 0, absolute = 0;
                for (Index c = 0; c < n; ++c) {
                    const long double term = static_cast<long double>(at(r, c * n + i)) * at(r, c * n + j);
                    product += term;
                    absolute += std::abs(term);
                }
                const long double size = std::sqrt(static_cast<long double>(at(a, i * n + i)) * at(a, j * n + j));
                const long double left = at(rest, i) == 0 || at(rest, j) == 0 ? 0 : tolerance * size;
                ASSERT_TRUE(within(at(a, i * n + j), product, sum_bound<double>(n, absolute + size) + left))
                    << "A(" << i << ", " << j << "), n = " << n;
            }
        }
    }

    /// V A V' = I where there are pivots, by the bound of the triangular inverse: n eps |V||R'||R||V'|.
    void expect_inverts() const {
        const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
        std::vector<long double> v_a(size, 0.0L), v_r(size, 0.0L);
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j < n; ++j) {
                const auto e = static_cast<std::size_t>(i * n + j);
                for (Index c = 0; c < n; ++c) {
                    const long double factor = at(v, i * n + c);
                    v_a[e] += factor * at(a, c * n + j);
                    v_r[e] += std::abs(factor * at(r, j * n + c));
                }
            }
        }
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j < n; ++j) {
                long double product = 0, absolute = 0;
                for (Index c = 0; c < n; ++c) {
                    const auto in_i = static_cast<std::size_t>(i * n + c), in_j = static_cast<std::size_t>(j * n + c);
                    product += v_a[in_i] * v[in_j];
                    absolute += v_r[in_i] * v_r[in_j];
                }
                const long double exact = i == j && i < rank ? 1 : 0;
                ASSERT_TRUE(within(product, exact, 2 * sum_bound<double>(n, absolute)))
                    << "V A V'(" << i << ", " << j << "), n = " << n;
            }
        }
    }
};

/// The Gram matrix of n + 3 random rows of n columns whose lengths differ by up to 1e8; column j is a copy of column
/// of(j).
template <class F>
Matrix gram_matrix(Index n, F&& of) {
    Matrix g(static_cast<std::size_t>(Size{n} * n));
    const auto element = [&](Index row, Index j) {
        return std::pow(10.0, j % 9 - 4) * RandomRow(7, row).uniform(of(j));
    };
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) {
            double sum = 0;
            for (Index row = 0; row < n + 3; ++row) sum += element(row, i) * element(row, j);
            g[static_cast<std::size_t>(i * n + j)] = sum;
        }
    }
    return g;
}

constexpr Index orders[] = {0, 1, 2, 3, 8, 31, 32, 33, 64, 100, 192};

TEST(PivotedCholesky, FactorisesAndInverts) {
    for (const Index n : orders) {
        const Factored f(n, gram_matrix(n, [](Index j) { return j; }), {.relative = 1e-12});
        EXPECT_EQ(f.rank, n);
        f.expect_factorises(0);
        f.expect_inverts();
        for (const double left : f.rest) EXPECT_EQ(left, 0);
    }
}

TEST(PivotedCholesky, LeavesOutWhatDepends) {
    for (const Index n : orders) {
        // Columns j and j + n / 2 point the same way, whatever their lengths.
        const Index independent = n - n / 2;
        const Factored f(n, gram_matrix(n, [&](Index j) { return j % independent; }), {.relative = 1e-10});
        EXPECT_EQ(f.rank, independent);
        f.expect_factorises(1e-10);
        f.expect_inverts();
    }
}

TEST(PivotedCholesky, TakesNoPivotBelowTheAbsoluteTolerance) {
    const Matrix a{4, 0, 0, 0, 1e-6, 0, 0, 0, 1};
    const Factored f(3, a, {.relative = 1e-12, .absolute = 1e-4});
    EXPECT_EQ(f.rank, 2);
    EXPECT_EQ(f.rest[1], 1e-6);
    f.expect_inverts();
}

TEST(PivotedCholesky, TakesTheFirstOfEqualPivots) {
    // All shares are 1 but for rounding: the order of the rows decides.
    const double near = 1 + 4 * std::numeric_limits<double>::epsilon();
    const Factored f(3, {1, 0, 0, 0, near, 0, 0, 0, 4}, {});
    for (Index i = 0; i < 3; ++i) EXPECT_GT(Factored::at(f.r, i * 3 + i), 0) << i;
}

TEST(PivotedCholesky, ShowsWhatIsNotPositiveDefinite) {
    const Factored indefinite(2, {1, 2, 2, 1}, {.relative = 1e-12});
    EXPECT_EQ(indefinite.rank, 1);
    EXPECT_EQ(indefinite.rest[1], -3);
    const Factored negative(2, {-1, 0, 0, -2}, {.relative = 1e-12});
    EXPECT_EQ(negative.rank, 0);
    for (const double element : negative.v) EXPECT_EQ(element, 0);
    for (const double element : negative.r) EXPECT_EQ(element, 0);
}

TEST(PivotedCholesky, TakesNoPivotThatIsNotFinite) {
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        const Factored f(3, {1, 0, bad, 0, 4, 0, bad, 0, bad}, {.relative = 1e-12});
        EXPECT_EQ(f.rank, 2);
        EXPECT_FALSE(std::isfinite(f.rest[2]));
        EXPECT_EQ(f.rest[0], 0);
        EXPECT_EQ(f.rest[1], 0);
    }
}

}  // namespace
}  // namespace stiefel::test
