#include "stiefel/solver/cg.hpp"

#include "stiefel/problems/poisson.hpp"
#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/spmv.hpp"
#include "stiefel/spmv/spmv_work.hpp"
#include "support/cg_on_hosts.hpp"
#include "support/columns.hpp"
#include "support/matrices.hpp"
#include "support/slow_monitor.hpp"
#include "support/true_residual.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiefel {
namespace {

using test::bit_equal;
using test::diagonal_matrix;
using test::random_vector;

template <class Where>
class Cg : public test::CgOnHosts<Where> {};
TYPED_TEST_SUITE(Cg, test::EveryBackendAndType);

TYPED_TEST(Cg, SolvesAndReportsTheTrueResidual) {
    using T = typename TypeParam::type;
    for (Index n : {1, 2, 3, 8, 17}) {
        const HostCsr<T> a = poisson3d<T>(this->maker, n, n, n);
        const HostVector<T> b = random_vector<T>(a.n_rows, 1);
        for (const bool jacobi : {false, true}) {
            HostVector<T> x(a.n_rows, T{0});
            const CgOptions options{.rtol = this->rtol};
            const SolveResult result = jacobi ? cg(this->backend, a, make_jacobi(this->backend, a), b, x, options)
                                              : cg(this->backend, a, b, x, options);
            EXPECT_EQ(result.reason, StopReason::converged) << n;
            const auto actual = static_cast<double>(true_relative_residual(a, b, x));
            // The report is computed in T: it may be off by the rounding of A x, 8 |A||x| eps, |A| <= 12, |x| <= |b|
            // n^2 / 3.
            const double rounding = 32.0 * n * n * std::numeric_limits<T>::epsilon();
            EXPECT_TRUE(std::abs(result.relative_residual - actual) <= rounding) << n;
            EXPECT_TRUE(actual <= this->rtol + rounding) << n;
        }
    }
}

TYPED_TEST(Cg, FindsAKnownSolution) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson2d<T>(this->maker, 20, 20);
    const HostVector<T> exact = random_vector<T>(a.n_rows, 2);
    HostVector<T> b(a.n_rows);
    spmv(this->backend, a, exact, b);
    HostVector<T> x(a.n_rows, T{0});
    const SolveResult result = cg(this->backend, a, b, x, {.rtol = this->rtol});
    ASSERT_EQ(result.reason, StopReason::converged);
    // |x - exact| <= |A^-1| |r|, |A^-1| = 1 / (8 sin^2(pi / 42)) < 23, |b| <= 8 * 20.
    for (Index i = 0; i < a.n_rows; ++i) ASSERT_NEAR(x[i], exact[i], 2 * 23 * 160 * this->rtol) << i;
}

TYPED_TEST(Cg, TakesAsManyIterationsAsThereAreDistinctEigenvalues) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = diagonal_matrix<T>({1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3});
    const HostVector<T> b(12, T{1});
    HostVector<T> x(12, T{0});
    const SolveResult result = cg(this->backend, a, b, x, {.rtol = this->rtol});
    EXPECT_EQ(result.reason, StopReason::converged);
    EXPECT_EQ(result.iterations, 3);
    HostVector<T> y(12, T{0});
    const SolveResult scaled = cg(this->backend, a, make_jacobi(this->backend, a), b, y, {.rtol = this->rtol});
    EXPECT_EQ(scaled.iterations, 1);
}

TYPED_TEST(Cg, ZeroRightHandSideGivesZeroWhateverTheGuess) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson1d<T>(this->maker, 30);
    const HostVector<T> b(30, T{0});
    HostVector<T> x = random_vector<T>(30, 3);
    const SolveResult result = cg(this->backend, a, b, x);
    EXPECT_EQ(result.reason, StopReason::converged);
    EXPECT_EQ(result.iterations, 0);
    EXPECT_EQ(result.relative_residual, 0);
    for (T value : x) EXPECT_EQ(value, T{0});
}

TYPED_TEST(Cg, ExactGuessTakesNoIterations) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson1d<T>(this->maker, 40);
    HostVector<T> exact(40);
    for (Index i = 0; i < 40; ++i) exact[i] = static_cast<T>((i + 1) * (40 - i));  // A exact = 2, without rounding
    const HostVector<T> b(40, T{2});
    HostVector<T> x = exact.clone();
    const SolveResult result = cg(this->backend, a, b, x);
    EXPECT_EQ(result.reason, StopReason::converged);
    EXPECT_EQ(result.iterations, 0);
    EXPECT_TRUE(bit_equal(x, exact));
}

TYPED_TEST(Cg, StartsFromTheGuess) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson2d<T>(this->maker, 30, 30);
    const HostVector<T> b = random_vector<T>(a.n_rows, 4);
    HostVector<T> x(a.n_rows, T{0});
    const SolveResult rough = cg(this->backend, a, b, x, {.rtol = 1e-3});
    const SolveResult onward = cg(this->backend, a, b, x, {.rtol = this->rtol});
    HostVector<T> y(a.n_rows, T{0});
    const SolveResult whole = cg(this->backend, a, b, y, {.rtol = this->rtol});
    EXPECT_GT(rough.iterations, 0);
    EXPECT_LT(onward.iterations, whole.iterations);
    EXPECT_EQ(onward.reason, StopReason::converged);
}

TYPED_TEST(Cg, SaysNotPositiveDefinite) {
    using T = typename TypeParam::type;
    const HostCsr<T> indefinite = diagonal_matrix<T>({1, -2, 3, 4});
    const HostCsr<T> negative = diagonal_matrix<T>({-1, -2, -3, -4});
    const HostCsr<T> zero = diagonal_matrix<T>({0, 0, 0, 0});
    for (const HostCsr<T>* a : {&indefinite, &negative, &zero}) {
        const HostVector<T> b{T{1}, T{2}, T{1}, T{0}};
        HostVector<T> x(4, T{0});
        const SolveResult result = cg(this->backend, *a, b, x);
        EXPECT_EQ(result.reason, StopReason::not_positive_definite);
        EXPECT_TRUE(std::isfinite(result.relative_residual));
    }
}

TYPED_TEST(Cg, SingularConsistentSystemIsSolvedAndInconsistentIsNot) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = diagonal_matrix<T>({1, 2, 0, 4});
    HostVector<T> x(4, T{0});
    EXPECT_EQ(cg(this->backend, a, HostVector<T>{T{1}, T{1}, T{0}, T{1}}, x, {.rtol = this->rtol}).reason,
              StopReason::converged);
    HostVector<T> y(4, T{0});
    const SolveResult result = cg(this->backend, a, HostVector<T>{T{1}, T{1}, T{1}, T{1}}, y, {.rtol = this->rtol});
    EXPECT_EQ(result.reason, StopReason::not_positive_definite);
    EXPECT_GT(result.relative_residual, 0.1);  // not NaN: x is still finite
}

TYPED_TEST(Cg, StopsOnNanAndInfinity) {
    using T = typename TypeParam::type;
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    const HostCsr<T> good = poisson1d<T>(this->maker, 4);
    const HostCsr<T> bad = diagonal_matrix<T>({1, nan, 3, 4});
    const HostVector<T> ones(4, T{1});
    const HostVector<T> nan_rhs{T{1}, nan, T{1}, T{1}};
    const HostVector<T> infinite_rhs{T{1}, std::numeric_limits<T>::infinity(), T{1}, T{1}};

    HostVector<T> x(4, T{0});
    EXPECT_EQ(cg(this->backend, good, nan_rhs, x).reason, StopReason::not_finite);
    EXPECT_EQ(cg(this->backend, good, infinite_rhs, x).reason, StopReason::not_finite);
    EXPECT_EQ(cg(this->backend, bad, ones, x).reason, StopReason::not_finite);
    HostVector<T> nan_guess{T{0}, nan, T{0}, T{0}};
    EXPECT_EQ(cg(this->backend, good, ones, nan_guess).reason, StopReason::not_finite);
}

TYPED_TEST(Cg, KeepsToItsBudget) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson2d<T>(this->maker, 40, 40);
    const HostVector<T> b = random_vector<T>(a.n_rows, 5);
    for (Size budget : {0, 1, 7}) {
        HostVector<T> x(a.n_rows, T{0});
        const SolveResult result = cg(this->backend, a, b, x, {.max_iterations = budget});
        EXPECT_EQ(result.reason, StopReason::max_iterations);
        EXPECT_EQ(result.iterations, budget);
        const auto actual = static_cast<double>(true_relative_residual(a, b, x));
        EXPECT_NEAR(result.relative_residual, actual, 1e-4);
        EXPECT_LE(actual, 20);
    }
}

TYPED_TEST(Cg, MonitorSeesEveryIterationAndMayStop) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson2d<T>(this->maker, 40, 40);
    const HostVector<T> b = random_vector<T>(a.n_rows, 6);
    HostVector<T> x(a.n_rows, T{0});
    Size expected = 0;
    const auto monitor = [&](const CgProgress& progress) {
        EXPECT_EQ(progress.iteration, expected++);
        return progress.iteration < 5;
    };
    const SolveResult result = cg(this->backend, a, b, x, {.history = true, .monitor = monitor});
    EXPECT_EQ(result.reason, StopReason::interrupted);
    EXPECT_EQ(result.iterations, 5);
    EXPECT_EQ(result.history.size(), 6u);
    EXPECT_EQ(result.history.front(), 1.0);
    EXPECT_LT(result.history.back(), 10.0);
}

TYPED_TEST(Cg, EndsWhenTheTimeIsUp) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson2d<T>(this->maker, 40, 40);
    const HostVector<T> b = random_vector<T>(a.n_rows, 6);
    const test::SlowMonitor slow(5e-3);
    for (const double limit : {0.0, 0.02}) {
        HostVector<T> x(a.n_rows, T{0});
        const SolveResult result = cg(this->backend, a, b, x, {.rtol = 0, .monitor = slow, .time_limit = limit});
        EXPECT_EQ(result.reason, StopReason::time_limit);
        EXPECT_GE(result.seconds, limit);
        EXPECT_LE(result.iterations, limit > 0 ? slow.most_iterations(limit) : 0);
        EXPECT_TRUE(std::abs(result.relative_residual - static_cast<double>(true_relative_residual(a, b, x))) <= 1e-5);
    }
    HostVector<T> x(a.n_rows, T{0});
    EXPECT_EQ(cg(this->backend, a, b, x, {.rtol = this->rtol, .time_limit = 1e9}).reason, StopReason::converged);
    // Who is there before the time is looked at has converged all the same.
    EXPECT_EQ(cg(this->backend, a, b, x, {.rtol = 2 * this->rtol, .time_limit = 0}).reason, StopReason::converged);
}

TYPED_TEST(Cg, TheMonitorMayStopBeforeTheFirstIteration) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson1d<T>(this->maker, 40);
    const HostVector<T> b = random_vector<T>(a.n_rows, 6);
    HostVector<T> x(a.n_rows, T{0});
    const SolveResult result = cg(this->backend, a, b, x, {.monitor = [](const CgProgress&) { return false; }});
    EXPECT_EQ(result.reason, StopReason::interrupted);
    EXPECT_EQ(result.iterations, 0);
}

TYPED_TEST(Cg, HistoryEndsInTheRecurrenceResidual) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson2d<T>(this->maker, 20, 20);
    const HostVector<T> b = random_vector<T>(a.n_rows, 7);
    HostVector<T> x(a.n_rows, T{0});
    const SolveResult result = cg(this->backend, a, b, x, {.rtol = this->rtol, .history = true});
    ASSERT_EQ(result.reason, StopReason::converged);
    ASSERT_EQ(result.restarts, 0);
    ASSERT_EQ(static_cast<Size>(result.history.size()), result.iterations + 1);
    EXPECT_EQ(result.history.back(), result.recurrence_residual);
    EXPECT_LE(result.history.back(), this->rtol);
    EXPECT_GT(result.history[result.history.size() - 2], this->rtol);
}

TYPED_TEST(Cg, RestartsWhenTheRecurrenceHasDrifted) {
    using T = typename TypeParam::type;
    // A guess of size s makes residuals of size s, whose rounding eps s stays in x when the recurrence has long
    // forgotten it. One restart begins with a residual of that size and gets there.
    const HostCsr<T> a = poisson1d<T>(this->maker, 200);
    const HostVector<T> b = random_vector<T>(200, 8);
    const double huge = 0.01 / std::numeric_limits<T>::epsilon();
    HostVector<T> x(200);
    for (Index i = 0; i < 200; ++i) x[i] = static_cast<T>(i % 2 == 0 ? huge : -huge / 3);
    const double tolerance = std::is_same_v<T, double> ? 1e-8 : 1e-3;
    const SolveResult result = cg(this->backend, a, b, x, {.rtol = tolerance});
    EXPECT_EQ(result.reason, StopReason::converged);
    EXPECT_GE(result.restarts, 1);
    EXPECT_TRUE(true_relative_residual(a, b, x) <= 1.5 * tolerance);
}

TYPED_TEST(Cg, SaysStagnatedWhereRoundingIsTheLimit) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson1d<T>(this->maker, 500);
    const HostVector<T> b = random_vector<T>(500, 9);
    HostVector<T> x(500, T{0});
    const SolveResult result =
        cg(this->backend, a, b, x, {.rtol = std::numeric_limits<T>::epsilon() / 16, .max_iterations = 100000});
    EXPECT_EQ(result.reason, StopReason::stagnated);
    EXPECT_GE(result.restarts, 1);
    // cond(A) = 1e5: the residual reached lies near eps |A||x| / |b|, far above the tolerance and far below 1.
    EXPECT_GT(result.relative_residual, std::numeric_limits<T>::epsilon() / 16);
    EXPECT_LT(result.relative_residual, 1e6 * std::numeric_limits<T>::epsilon());
}

TYPED_TEST(Cg, HoldsAtBothEndsOfTheRangeOfTheRightHandSide) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson2d<T>(this->maker, 10, 10);
    const HostVector<T> b = random_vector<T>(100, 10);
    HostVector<T> x(100, T{0});
    const SolveResult plain = cg(this->backend, a, b, x, {.rtol = this->rtol});
    ASSERT_EQ(plain.reason, StopReason::converged);
    const int far = std::is_same_v<T, double> ? 900 : 100;
    for (int exponent : {far, -far}) {
        HostVector<T> scaled = b.clone();
        scale(this->backend, exponent, scaled);
        HostVector<T> y(100, T{0});
        const SolveResult result = cg(this->backend, a, scaled, y, {.rtol = this->rtol});
        EXPECT_EQ(result.reason, StopReason::converged) << exponent;
        EXPECT_NEAR(static_cast<double>(result.iterations), static_cast<double>(plain.iterations), 2) << exponent;
        EXPECT_TRUE(std::abs(result.rhs_norm / std::ldexp(plain.rhs_norm, exponent) - 1) <= 1e-6) << exponent;
        EXPECT_TRUE(result.relative_residual <= this->rtol) << exponent;
        scale(this->backend, -exponent, y);
        for (Index i = 0; i < 100; ++i) ASSERT_NEAR(y[i], x[i], 1e3 * this->rtol) << exponent;
    }
}

TYPED_TEST(Cg, AbsoluteToleranceIsInUnitsOfTheRightHandSide) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson2d<T>(this->maker, 10, 10);
    const HostVector<T> b = random_vector<T>(100, 11);
    HostVector<T> x(100, T{0});
    const SolveResult result = cg(this->backend, a, b, x, {.rtol = 0, .atol = 1e-3});
    EXPECT_EQ(result.reason, StopReason::converged);
    EXPECT_LE(result.relative_residual * result.rhs_norm, 1e-3);
    EXPECT_GT(result.relative_residual * result.rhs_norm, 1e-6);
}

TYPED_TEST(Cg, RepeatsBitForBit) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson3d<T>(this->maker, 25, 25, 25);
    const HostVector<T> b = random_vector<T>(a.n_rows, 12);
    HostVector<T> x(a.n_rows, T{0});
    HostVector<T> y(a.n_rows, T{0});
    cg(this->backend, a, b, x, {.rtol = this->rtol});
    cg(this->backend, a, b, y, {.rtol = this->rtol});
    EXPECT_TRUE(bit_equal(x, y));
}

TYPED_TEST(Cg, RefusesWhatDoesNotFit) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson1d<T>(this->maker, 10);
    const HostVector<T> b(10, T{1});
    const HostVector<T> longer(11, T{1});
    HostVector<T> x(10, T{0});
    HostVector<T> y(11, T{0});
    EXPECT_THROW(cg(this->backend, a, longer, x), InvalidArgument);
    EXPECT_THROW(cg(this->backend, a, longer, y), InvalidArgument);
    EXPECT_THROW(cg(this->backend, a, b, x, {.rtol = -1}), InvalidArgument);
    EXPECT_THROW(cg(this->backend, a, b, x, {.rtol = 1}), InvalidArgument);
    EXPECT_THROW(cg(this->backend, a, b, x, {.rtol = 2}), InvalidArgument);
    EXPECT_THROW(cg(this->backend, a, b, x, {.rtol = std::nan("")}), InvalidArgument);
    EXPECT_THROW(cg(this->backend, a, b, x, {.atol = -1}), InvalidArgument);
    EXPECT_THROW(cg(this->backend, a, b, x, {.time_limit = -1}), InvalidArgument);
    EXPECT_THROW(cg(this->backend, a, b, x, {.time_limit = std::nan("")}), InvalidArgument);
}

TYPED_TEST(Cg, TimesEveryKernel) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson2d<T>(this->maker, 30, 30);
    const HostVector<T> b(a.n_rows, T{1});
    HostVector<T> x(a.n_rows, T{0});
    const SolveResult result = cg(this->backend, a, b, x, {.rtol = this->rtol});
    ASSERT_EQ(result.kernels.size(), 3u);
    double total = 0;
    for (const KernelTime& kernel : result.kernels) {
        EXPECT_GT(kernel.calls, 0) << kernel.name;
        EXPECT_GT(kernel.seconds, 0) << kernel.name;
        EXPECT_GT(kernel.work.bytes, 0) << kernel.name;
        EXPECT_GT(kernel.work.flops, 0) << kernel.name;
        total += kernel.seconds;
    }
    EXPECT_LE(total, result.seconds);
}

TEST(CgOnThreads, IsBitEqualOnAnyNumber) {
    OpenMP maker(1);
    const HostCsr<double> a = poisson3d<double>(maker, 40, 40, 40);
    const HostVector<double> b = random_vector<double>(a.n_rows, 13);
    HostVector<double> expected(a.n_rows, 0.0);
    OpenMP one(1);
    const SolveResult reference = cg(one, a, b, expected);
    for (int threads : {2, 3, 7}) {
        OpenMP many(threads);
        HostVector<double> x(a.n_rows, 0.0);
        const SolveResult result = cg(many, a, b, x);
        EXPECT_EQ(result.iterations, reference.iterations) << threads;
        EXPECT_TRUE(bit_equal(x, expected)) << threads;
    }
}

TEST(Jacobi, NamesTheRowWhoseDiagonalIsNotPositive) {
    OpenMP backend;
    for (const double bad : {0.0, -3.0, std::nan("")}) {
        const HostCsr<double> a = diagonal_matrix<double>({1, 2, bad, 4});
        try {
            make_jacobi(backend, a);
            FAIL() << bad;
        } catch (const InvalidArgument& error) {
            EXPECT_NE(std::string(error.what()).find("(3, 3)"), std::string::npos) << error.what();
        }
    }
}

TEST(Jacobi, MendsBadScaling) {
    OpenMP backend;
    std::vector<double> diagonal;
    for (int i = 0; i < 200; ++i) diagonal.push_back(std::pow(10.0, i % 9));
    const HostCsr<double> a = diagonal_matrix<double>(diagonal);
    const HostVector<double> b(200, 1.0);
    HostVector<double> x(200, 0.0);
    const SolveResult result = cg(backend, a, make_jacobi(backend, a), b, x);
    EXPECT_EQ(result.reason, StopReason::converged);
    EXPECT_EQ(result.iterations, 1);
}

}  // namespace
}  // namespace stiefel
