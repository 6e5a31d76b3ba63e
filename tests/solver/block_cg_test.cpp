#include "stiefel/solver/block_cg.hpp"

#include "stiefel/problems/poisson.hpp"
#include "stiefel/spmv/convert.hpp"
#include "support/backends.hpp"
#include "support/block_cg_ends.hpp"
#include "support/columns.hpp"
#include "support/csr_checks.hpp"
#include "support/slow_monitor.hpp"
#include "support/true_residual.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace stiefel {
namespace {

using test::column;
using test::diagonal_matrix;
using test::random_panel;
using test::random_vector;
using test::refusal;
using test::set_column;
using test::zero_panel;

template <class T>
bool same_bits(const HostMultivector<T>& a, const HostMultivector<T>& b) {
    return std::memcmp(a.values().data(), b.values().data(), static_cast<std::size_t>(a.values().bytes())) == 0;
}

template <class Where>
class BlockCg : public ::testing::Test {
protected:
    using Scalar = typename Where::type;

    /// A tolerance that the precision can reach on the small systems here.
    static constexpr double rtol = std::is_same_v<Scalar, double> ? 1e-10 : 1e-4;

    /// Whether every column says converged, and is: the residual is taken afresh in extended precision.
    ::testing::AssertionResult all_converged(const HostCsr<Scalar>& a, const HostMultivector<Scalar>& b,
                                             const HostMultivector<Scalar>& x, const BlockSolveResult& result,
                                             double tolerance) {
        // Computed in T, the report may be off by the rounding of A x: 16 eps |A||x| / |b|.
        if (result.reason != StopReason::converged) {
            return ::testing::AssertionFailure() << "ended as " << to_string(result.reason);
        }
        for (Index j = 0; j < b.n_cols(); ++j) {
            const auto& told = result.columns[static_cast<std::size_t>(j)];
            const auto actual = static_cast<double>(true_relative_residual(a, column(b, j), column(x, j)));
            if (told.reason != StopReason::converged || !(actual <= 1.1 * tolerance) ||
                !(std::abs(actual - told.relative_residual) <= 0.1 * tolerance)) {
                return ::testing::AssertionFailure() << "column " << j << ": " << to_string(told.reason) << ", told "
                                                     << told.relative_residual << ", actual " << actual;
            }
        }
        return ::testing::AssertionSuccess();
    }

    typename Where::backend backend;
    OpenMP maker{1};
};

TYPED_TEST_SUITE(BlockCg, test::EveryBackendAndType);

TYPED_TEST(BlockCg, SolvesForAnyNumberOfColumns) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson2d<T>(this->maker, 30, 33);
    for (const Index k : {1, 2, 3, 4, 5, 8, 13, 16, 17, 32, 40, 64}) {
        const auto b = random_panel<T>(a.n_rows, k, 1);
        for (const bool jacobi : {false, true}) {
            auto x = zero_panel<T>(a.n_rows, k);
            const CgOptions options{.rtol = this->rtol};
            const auto result = jacobi ? block_cg(this->backend, a, make_jacobi(this->backend, a), b, x, options)
                                       : block_cg(this->backend, a, b, x, options);
            EXPECT_TRUE(this->all_converged(a, b, x, result, this->rtol)) << k << " columns, jacobi " << jacobi;
        }
    }
}

TYPED_TEST(BlockCg, OneColumnTakesTheStepsOfCg) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson2d<T>(this->maker, 40, 40);
    const auto b = random_panel<T>(a.n_rows, 1, 2);
    auto x = zero_panel<T>(a.n_rows, 1);
    HostVector<T> y(a.n_rows, T{0});
    const auto block = block_cg(this->backend, a, b, x, {.rtol = this->rtol});
    const auto single = cg(this->backend, a, b.values(), y, {.rtol = this->rtol});
    EXPECT_NEAR(static_cast<double>(block.iterations), static_cast<double>(single.iterations), 2);
}

TYPED_TEST(BlockCg, NeedsFewerIterationsThanCg) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson3d<T>(this->maker, 16, 16, 16);
    const auto b = random_panel<T>(a.n_rows, 16, 3);
    auto x = zero_panel<T>(a.n_rows, 16);
    HostVector<T> y(a.n_rows, T{0});
    const auto block = block_cg(this->backend, a, b, x, {.rtol = this->rtol});
    const auto single = cg(this->backend, a, column(b, 0), y, {.rtol = this->rtol});
    EXPECT_TRUE(this->all_converged(a, b, x, block, this->rtol));
    EXPECT_LT(static_cast<double>(block.iterations), 0.8 * static_cast<double>(single.iterations));
}

TYPED_TEST(BlockCg, PreconditioningMendsBadScaling) {
    using T = typename TypeParam::type;
    std::vector<double> diagonal;
    for (int i = 0; i < 300; ++i) diagonal.push_back(std::pow(10.0, i % 9));
    const HostCsr<T> a = diagonal_matrix<T>(diagonal);
    const auto b = random_panel<T>(300, 4, 4);
    auto x = zero_panel<T>(300, 4);
    const auto result = block_cg(this->backend, a, make_jacobi(this->backend, a), b, x, {.rtol = this->rtol});
    EXPECT_TRUE(this->all_converged(a, b, x, result, this->rtol));
    EXPECT_LE(result.iterations, 2);
}

TYPED_TEST(BlockCg, DependentColumnsAreNoTrouble) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson2d<T>(this->maker, 25, 25);
    auto b = random_panel<T>(a.n_rows, 6, 5);
    set_column(b, 1, column(b, 0));  // the same
    HostVector<T> sum(a.n_rows), nearly = column(b, 0);
    for (Index i = 0; i < a.n_rows; ++i) sum[i] = column(b, 0)[i] + column(b, 2)[i];
    set_column(b, 3, sum);                            // a combination
    set_column(b, 4, HostVector<T>(a.n_rows, T{0}));  // zero
    for (T& v : nearly) v *= 1 + 4 * std::numeric_limits<T>::epsilon();
    set_column(b, 5, nearly);  // the same but for rounding
    auto x = zero_panel<T>(a.n_rows, 6);
    const auto result = block_cg(this->backend, a, b, x, {.rtol = this->rtol});
    EXPECT_TRUE(this->all_converged(a, b, x, result, this->rtol));
    for (const T value : column(x, 4)) EXPECT_EQ(value, T{0});
}

TYPED_TEST(BlockCg, MoreColumnsThanRows) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson1d<T>(this->maker, 5);
    const auto b = random_panel<T>(5, 12, 6);
    auto x = zero_panel<T>(5, 12);
    const auto result = block_cg(this->backend, a, b, x, {.rtol = this->rtol});
    EXPECT_TRUE(this->all_converged(a, b, x, result, this->rtol));
    EXPECT_LE(result.iterations, 3);
}

TYPED_TEST(BlockCg, KrylovSpaceMayEnd) {
    using T = typename TypeParam::type;
    // Three distinct eigenvalues: three iterations, whatever the number of columns; then directions vanish.
    std::vector<double> diagonal;
    for (int i = 0; i < 90; ++i) diagonal.push_back(1 + i % 3);
    const HostCsr<T> a = diagonal_matrix<T>(diagonal);
    const auto b = random_panel<T>(90, 8, 7);
    auto x = zero_panel<T>(90, 8);
    const auto result = block_cg(this->backend, a, b, x, {.rtol = this->rtol});
    EXPECT_TRUE(this->all_converged(a, b, x, result, this->rtol));
    EXPECT_LE(result.iterations, 4);
}

TYPED_TEST(BlockCg, ConvergedColumnsStayAsTheyAre) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson2d<T>(this->maker, 30, 30);
    auto b = random_panel<T>(a.n_rows, 3, 8);
    auto x = zero_panel<T>(a.n_rows, 3);
    const HostVector<T> exact = random_vector<T>(a.n_rows, 9);
    HostVector<T> product(a.n_rows);
    spmv(this->backend, a, exact, product);
    set_column(b, 1, product);
    set_column(x, 1, exact);
    const auto result = block_cg(this->backend, a, b, x, {.rtol = this->rtol});
    EXPECT_TRUE(this->all_converged(a, b, x, result, this->rtol));
    EXPECT_EQ(result.columns[1].iterations, 0);
    const HostVector<T> kept = column(x, 1);
    for (Index i = 0; i < a.n_rows; ++i) ASSERT_EQ(kept[i], exact[i]);
}

TYPED_TEST(BlockCg, ZeroRightHandSidesGiveZeroWhateverTheGuess) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson1d<T>(this->maker, 50);
    const auto b = zero_panel<T>(50, 3);
    auto x = random_panel<T>(50, 3, 10);
    const auto result = block_cg(this->backend, a, b, x);
    EXPECT_EQ(result.reason, StopReason::converged);
    EXPECT_EQ(result.iterations, 0);
    EXPECT_EQ(result.relative_residual, 0);
    for (const T value : x.values()) EXPECT_EQ(value, T{0});
}

TYPED_TEST(BlockCg, NamesTheColumnThatIsNotFinite) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson1d<T>(this->maker, 50);
    for (const T bad : {std::numeric_limits<T>::quiet_NaN(), -std::numeric_limits<T>::infinity()}) {
        auto b = random_panel<T>(50, 3, 11);
        auto x = zero_panel<T>(50, 3);
        b.values()[3 * 17 + 1] = bad;
        EXPECT_EQ(refusal([&] { block_cg(this->backend, a, b, x); }),
                  "block_cg: column 2 of B holds a NaN or infinity");
        auto guess = zero_panel<T>(50, 3);
        guess.values()[3 * 49 + 2] = bad;
        EXPECT_EQ(refusal([&] { block_cg(this->backend, a, zero_panel<T>(50, 3), guess); }),
                  "block_cg: column 3 of X holds a NaN or infinity");
    }
}

TYPED_TEST(BlockCg, StopsOnAMatrixThatIsNotFinite) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = diagonal_matrix<T>({1, std::nan(""), 3, 4});
    const auto b = random_panel<T>(4, 2, 12);
    auto x = zero_panel<T>(4, 2);
    EXPECT_EQ(block_cg(this->backend, a, b, x).reason, StopReason::not_finite);
}

TYPED_TEST(BlockCg, SaysNotPositiveDefinite) {
    using T = typename TypeParam::type;
    const HostCsr<T> indefinite = diagonal_matrix<T>({1, -2, 3, 4, 5, 6});
    const HostCsr<T> negative = diagonal_matrix<T>({-1, -2, -3, -4, -5, -6});
    const HostCsr<T> zero = diagonal_matrix<T>({0, 0, 0, 0, 0, 0});
    for (const HostCsr<T>* a : {&indefinite, &negative, &zero}) {
        for (const Index k : {1, 3, 6}) {
            const auto b = random_panel<T>(6, k, 13);
            auto x = zero_panel<T>(6, k);
            const auto result = block_cg(this->backend, *a, b, x);
            EXPECT_EQ(result.reason, StopReason::not_positive_definite) << k;
            EXPECT_TRUE(std::isfinite(result.relative_residual));
        }
    }
}

TYPED_TEST(BlockCg, SingularConsistentSystemIsSolvedAndInconsistentIsNot) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = diagonal_matrix<T>({1, 2, 0, 4, 5, 6, 7, 8});
    auto b = random_panel<T>(8, 3, 14);
    for (Index j = 0; j < 3; ++j) b.values()[2 * 3 + j] = 0;
    auto x = zero_panel<T>(8, 3);
    EXPECT_TRUE(this->all_converged(a, b, x, block_cg(this->backend, a, b, x, {.rtol = this->rtol}), this->rtol));
    b.values()[2 * 3 + 1] = 1;
    auto y = zero_panel<T>(8, 3);
    const auto result = block_cg(this->backend, a, b, y, {.rtol = this->rtol});
    EXPECT_EQ(result.reason, StopReason::not_positive_definite);
    EXPECT_TRUE(std::isfinite(result.relative_residual));
}

TYPED_TEST(BlockCg, TellsWhatItHasSeen) {
    using T = typename TypeParam::type;
    const auto evidence = [&](const std::vector<double>& diagonal) {
        const auto b = random_panel<T>(static_cast<Index>(diagonal.size()), 3, 13);
        auto x = zero_panel<T>(b.n_rows(), 3);
        const auto result = block_cg(this->backend, diagonal_matrix<T>(diagonal), b, x, {.rtol = this->rtol});
        for (const ColumnResult& column : result.columns) EXPECT_EQ(column.evidence, result.evidence);
        return result.evidence;
    };
    EXPECT_EQ(evidence({1, -2, 3, 4, 5, 6}), Evidence::negative_curvature);
    EXPECT_EQ(evidence({-1, -2, -3, -4, -5, -6}), Evidence::negative_curvature);
    EXPECT_EQ(evidence({0, 0, 0, 0, 0, 0}), Evidence::zero_curvature);
    EXPECT_EQ(evidence({1, 2, 3, 4, 5, 6}), Evidence::none);
    const Evidence singular = evidence({1, 2, 0, 4, 5, 6, 7, 8});
    EXPECT_TRUE(singular == Evidence::zero_curvature || singular == Evidence::residual_growth) << to_string(singular);
}

/// A singular system: the columns that have a solution get it, the others are what they were.
TYPED_TEST(BlockCg, ColumnsThatGetWorseArePutBack) {
    using T = typename TypeParam::type;
    std::vector<double> diagonal;
    for (int i = 0; i < 40; ++i) diagonal.push_back(1 + i % 20);
    diagonal.push_back(0);
    const HostCsr<T> a = diagonal_matrix<T>(diagonal);
    for (const bool guessed : {false, true}) {
        const auto b = random_panel<T>(41, 4, 14);
        auto x = guessed ? random_panel<T>(41, 4, 15) : zero_panel<T>(41, 4);
        for (T& value : x.values()) value *= static_cast<T>(0.01);
        const HostMultivector<T> guess(x.values().clone(), 41, 4);
        const auto result = block_cg(this->backend, a, b, x, {.rtol = this->rtol});
        EXPECT_NE(result.reason, StopReason::converged);
        for (Index j = 0; j < 4; ++j) {
            const auto& told = result.columns[static_cast<std::size_t>(j)];
            const auto before = static_cast<double>(true_relative_residual(a, column(b, j), column(guess, j)));
            const auto actual = static_cast<double>(true_relative_residual(a, column(b, j), column(x, j)));
            EXPECT_TRUE(actual <= before * (1 + 1e-6)) << j;
            EXPECT_TRUE(std::abs(actual - told.relative_residual) <= 1e-5) << j;
            if (told.x_iteration > 0) continue;
            const HostVector<T> was = column(guess, j), is = column(x, j);
            for (Index i = 0; i < 41; ++i) ASSERT_EQ(is[i], was[i]) << i;
        }
    }
}

/// The solution of one column is beyond the range of T: the others are found, and none of that one's numbers is.
TYPED_TEST(BlockCg, OneColumnThatOverflowsLeavesTheOthersAlone) {
    using T = typename TypeParam::type;
    constexpr bool wide = std::is_same_v<T, double>;
    std::vector<double> diagonal;
    for (int i = 0; i < 60; ++i) diagonal.push_back((wide ? 1e-250 : 1e-30) * (1 + i % 7));
    const HostCsr<T> a = diagonal_matrix<T>(diagonal);
    auto b = random_panel<T>(60, 3, 23);
    for (Index i = 0; i < 60; ++i) b.values()[3 * i + 1] *= static_cast<T>(wide ? 1e80 : 1e20);
    auto x = zero_panel<T>(60, 3);
    const auto result = block_cg(this->backend, a, b, x, {.rtol = this->rtol});
    EXPECT_EQ(result.reason, StopReason::not_finite);
    EXPECT_EQ(result.columns[0].reason, StopReason::converged);
    EXPECT_EQ(result.columns[1].reason, StopReason::not_finite);
    EXPECT_EQ(result.columns[2].reason, StopReason::converged);
    for (const T value : column(x, 1)) EXPECT_EQ(value, T{0});
    EXPECT_EQ(result.columns[1].relative_residual, 1);
    EXPECT_EQ(result.columns[1].x_iteration, 0);
}

TYPED_TEST(BlockCg, LateEndsAreNamed) {
    using T = typename TypeParam::type;
    test::check_late_block_ends<T>([&](const HostCsr<T>& a, const HostMultivector<T>& b, HostMultivector<T>& x,
                                       const CgOptions& options) { return block_cg(this->backend, a, b, x, options); });
}

TYPED_TEST(BlockCg, KeepsToItsBudget) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson2d<T>(this->maker, 40, 40);
    const auto b = random_panel<T>(a.n_rows, 4, 15);
    for (const Size budget : {0, 1, 7}) {
        auto x = zero_panel<T>(a.n_rows, 4);
        const auto result = block_cg(this->backend, a, b, x, {.max_iterations = budget});
        EXPECT_EQ(result.reason, StopReason::max_iterations);
        EXPECT_EQ(result.iterations, budget);
        for (Index j = 0; j < 4; ++j) {
            const auto actual = static_cast<double>(true_relative_residual(a, column(b, j), column(x, j)));
            EXPECT_NEAR(result.columns[static_cast<std::size_t>(j)].relative_residual, actual, 1e-4);
            EXPECT_LE(actual, 20);
        }
    }
}

TYPED_TEST(BlockCg, MonitorSeesEveryIterationAndMayStop) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson2d<T>(this->maker, 40, 40);
    const auto b = random_panel<T>(a.n_rows, 4, 16);
    auto x = zero_panel<T>(a.n_rows, 4);
    Size expected = 0;
    const auto monitor = [&](const CgProgress& progress) {
        EXPECT_EQ(progress.iteration, expected++);
        return progress.iteration < 5;
    };
    const auto result = block_cg(this->backend, a, b, x, {.history = true, .monitor = monitor});
    EXPECT_EQ(result.reason, StopReason::interrupted);
    EXPECT_EQ(result.iterations, 5);
    ASSERT_EQ(result.history.size(), 6u);
    EXPECT_NEAR(result.history.front(), 1.0, 1e-6);
    EXPECT_LT(result.history.back(), 10.0);
}

TYPED_TEST(BlockCg, BeginsAtZerosOnRequest) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson2d<T>(this->maker, 40, 40);
    const auto b = random_panel<T>(a.n_rows, 4, 16);
    auto zeros = zero_panel<T>(a.n_rows, 4), x = zero_panel<T>(a.n_rows, 4);
    fill(this->backend, std::numeric_limits<T>::quiet_NaN(), x.values());
    const auto given = block_cg(this->backend, a, b, zeros, {.rtol = 1e-4});
    const auto asked = block_cg(this->backend, a, b, x, {.rtol = 1e-4, .from_zero = true});
    EXPECT_EQ(asked.reason, StopReason::converged);
    EXPECT_EQ(asked.iterations, given.iterations);
    EXPECT_TRUE(std::equal(x.values().begin(), x.values().end(), zeros.values().begin(), zeros.values().end()));
}

TYPED_TEST(BlockCg, EndsWhenTheTimeIsUp) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson2d<T>(this->maker, 40, 40);
    auto b = random_panel<T>(a.n_rows, 4, 16);
    set_column(b, 2, HostVector<T>(a.n_rows, T{0}));
    const test::SlowMonitor slow(5e-3);
    for (const double limit : {0.0, 0.02}) {
        auto x = zero_panel<T>(a.n_rows, 4);
        const auto result = block_cg(this->backend, a, b, x, {.rtol = 0, .monitor = slow, .time_limit = limit});
        EXPECT_EQ(result.reason, StopReason::time_limit);
        EXPECT_GE(result.seconds, limit);
        EXPECT_LE(result.iterations, limit > 0 ? slow.most_iterations(limit) : 0);
        for (Index j = 0; j < 4; ++j) {
            const auto reason = result.columns[static_cast<std::size_t>(j)].reason;
            EXPECT_EQ(reason, j == 2 ? StopReason::converged : StopReason::time_limit) << j;
        }
    }
    auto x = zero_panel<T>(a.n_rows, 4);
    EXPECT_EQ(block_cg(this->backend, a, b, x, {.rtol = this->rtol, .time_limit = 1e9}).reason, StopReason::converged);
}

TYPED_TEST(BlockCg, HoldsAtBothEndsOfTheRange) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson2d<T>(this->maker, 12, 12);
    const int far = std::is_same_v<T, double> ? 900 : 100;
    auto b = random_panel<T>(144, 3, 17);
    for (Index i = 0; i < 144; ++i) {
        b.values()[3 * i] = std::ldexp(b.values()[3 * i], far);
        b.values()[3 * i + 2] = std::ldexp(b.values()[3 * i + 2], -far);
    }
    auto x = zero_panel<T>(144, 3);
    const auto result = block_cg(this->backend, a, b, x, {.rtol = this->rtol});
    EXPECT_TRUE(this->all_converged(a, b, x, result, this->rtol));
}

TYPED_TEST(BlockCg, SaysStagnatedWhereRoundingIsTheLimit) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson1d<T>(this->maker, 500);
    const auto b = random_panel<T>(500, 4, 18);
    auto x = zero_panel<T>(500, 4);
    const double eps = std::numeric_limits<T>::epsilon();
    const auto result = block_cg(this->backend, a, b, x, {.rtol = eps / 16, .max_iterations = 100000});
    EXPECT_EQ(result.reason, StopReason::stagnated);
    EXPECT_GT(result.relative_residual, eps / 16);
    EXPECT_LT(result.relative_residual, 1e6 * eps);
}

TYPED_TEST(BlockCg, RepeatsBitForBit) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson3d<T>(this->maker, 17, 17, 17);
    const auto b = random_panel<T>(a.n_rows, 8, 19);
    auto x = zero_panel<T>(a.n_rows, 8);
    auto y = zero_panel<T>(a.n_rows, 8);
    block_cg(this->backend, a, b, x, {.rtol = this->rtol});
    block_cg(this->backend, a, b, y, {.rtol = this->rtol});
    EXPECT_TRUE(same_bits(x, y));
}

TYPED_TEST(BlockCg, RefusesWhatDoesNotFit) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson1d<T>(this->maker, 10);
    const auto b = zero_panel<T>(10, 2);
    auto other_columns = zero_panel<T>(10, 3);
    auto other_rows = zero_panel<T>(11, 2);
    auto x = zero_panel<T>(10, 2);
    auto none = zero_panel<T>(10, 0);
    auto many = zero_panel<T>(10, 65);
    EXPECT_NE(refusal([&] { block_cg(this->backend, a, b, other_columns); }), "");
    EXPECT_NE(refusal([&] { block_cg(this->backend, a, b, other_rows); }), "");
    EXPECT_NE(refusal([&] { block_cg(this->backend, a, random_panel<T>(11, 2, 1), other_rows); }), "");
    EXPECT_NE(refusal([&] { block_cg(this->backend, a, none, none); }), "");
    EXPECT_NE(refusal([&] { block_cg(this->backend, a, many, many); }), "");
    EXPECT_NE(refusal([&] { block_cg(this->backend, a, b, x, {.rtol = -1}); }), "");
    EXPECT_EQ(refusal([&] { block_cg(this->backend, a, b, x, {.rtol = 2}); }),
              "block_cg: rtol is 2; it must be at least 0 and below 1");
    EXPECT_NE(refusal([&] { block_cg(this->backend, a, b, x, {.atol = std::nan("")}); }), "");
}

TEST(BlockCgOnThreads, IsBitEqualOnAnyNumber) {
    OpenMP maker(1);
    const HostCsr<double> a = poisson3d<double>(maker, 30, 30, 30);
    for (const Index k : {3, 8}) {
        const auto b = random_panel<double>(a.n_rows, k, 20);
        auto expected = zero_panel<double>(a.n_rows, k);
        OpenMP one(1);
        const auto reference = block_cg(one, a, make_jacobi(one, a), b, expected);
        for (const int threads : {2, 3, 7}) {
            OpenMP many(threads);
            auto x = zero_panel<double>(a.n_rows, k);
            const auto result = block_cg(many, a, make_jacobi(many, a), b, x);
            EXPECT_EQ(result.iterations, reference.iterations) << threads;
            EXPECT_TRUE(same_bits(x, expected)) << threads;
        }
    }
}

TEST(BlockCgMemory, SaysHowManyColumnsFit) {
    Serial backend;
    try {
        detail::require_room_for_block<double>(backend, std::numeric_limits<Index>::max(), 64, 3);
        GTEST_SKIP() << "this machine holds three panels of 1 TiB";
    } catch (const OutOfMemory& error) {
        EXPECT_NE(std::string(error.what()).find(" fit)"), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace stiefel
