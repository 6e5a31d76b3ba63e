#include "stiefel/solver/cg_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace stiefel {
namespace {

constexpr Size sizes[] = {0, 1, 31, 32, 33, 1000, 1024, 1025, 70001};

template <class T>
HostVector<T> uniform_vector(Size n, unsigned seed, double low = -1) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> uniform(low, 1);
    HostVector<T> v(n);
    for (T& value : v) value = static_cast<T>(uniform(engine));
    return v;
}

/// The inputs of a step; `m` scales by numbers between 0.5 and 1.
template <class T>
struct Step {
    explicit Step(Size n)
        : p(uniform_vector<T>(n, 1)),
          q(uniform_vector<T>(n, 2)),
          x(uniform_vector<T>(n, 3)),
          r(uniform_vector<T>(n, 4)),
          jacobi{uniform_vector<T>(n, 5, 0.5)} {}

    T scale(const Identity&, Size) const { return 1; }
    T scale(const HostJacobi<T>& m, Size i) const { return m.inverse_diagonal[i]; }

    HostVector<T> p, q, x, r;
    HostJacobi<T> jacobi;
    CgState state{.rho = 0.75, .curvature = 1.5, .beta = 0.25, .max_iterations = 100};
};

template <class T>
class CgKernels : public ::testing::Test {
protected:
    /// f(backend, preconditioner, step) with fresh inputs for every combination.
    template <class F>
    void on_all(F&& f) {
        for (Size n : sizes) {
            SCOPED_TRACE(n);
            Serial serial;
            both(serial, n, f);
            for (int threads : {1, 2, 3, 7}) {
                OpenMP openmp(threads);
                both(openmp, n, f);
            }
        }
    }

private:
    template <class B, class F>
    void both(B& backend, Size n, F&& f) {
        Step<T> plain(n);
        f(backend, Identity{}, plain);
        Step<T> scaled(n);
        f(backend, scaled.jacobi, scaled);
    }
};

using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(CgKernels, Types);

/// Rounding of a few operations in T on numbers below 2.
template <class T>
constexpr T few_ulps = 8 * std::numeric_limits<T>::epsilon();

/// Bound of a sum of n terms below 2 that were rounded in T and added in double.
template <class T>
double sum_bound(Size n) {
    return static_cast<double>(n) *
           (8.0 * std::numeric_limits<T>::epsilon() + static_cast<double>(n) * std::numeric_limits<double>::epsilon());
}

TYPED_TEST(CgKernels, StartSetsDirectionAndScalars) {
    using T = TypeParam;
    this->on_all([](auto& backend, const auto& m, Step<T>& s) {
        const Size n = s.r.size();
        HostVector<T> p(n, std::numeric_limits<T>::quiet_NaN());
        cg_start(backend, m, s.r, p, &s.state);
        long double rho = 0;
        long double residual2 = 0;
        for (Size i = 0; i < n; ++i) {
            ASSERT_TRUE(std::abs(p[i] - s.scale(m, i) * s.r[i]) <= few_ulps<T>) << i;
            rho += static_cast<long double>(s.r[i]) * s.r[i] * s.scale(m, i);
            residual2 += static_cast<long double>(s.r[i]) * s.r[i];
        }
        EXPECT_TRUE(std::abs(s.state.rho - rho) <= sum_bound<T>(n));
        EXPECT_TRUE(std::abs(s.state.residual2 - residual2) <= sum_bound<T>(n));
    });
}

TYPED_TEST(CgKernels, UpdateMovesTheResidualAndDecides) {
    using T = TypeParam;
    this->on_all([](auto& backend, const auto& m, Step<T>& s) {
        const Size n = s.r.size();
        const Step<T> before(n);
        cg_update(backend, m, s.q, s.r, &s.state);
        constexpr T alpha = 0.5;  // rho / curvature
        long double rho = 0;
        long double residual2 = 0;
        for (Size i = 0; i < n; ++i) {
            ASSERT_EQ(s.x[i], before.x[i]) << i;
            ASSERT_TRUE(std::abs(s.r[i] - (before.r[i] - alpha * s.q[i])) <= few_ulps<T>) << i;
            rho += static_cast<long double>(s.r[i]) * s.r[i] * s.scale(m, i);
            residual2 += static_cast<long double>(s.r[i]) * s.r[i];
        }
        EXPECT_TRUE(std::abs(s.state.rho - rho) <= sum_bound<T>(n));
        EXPECT_TRUE(std::abs(s.state.residual2 - residual2) <= sum_bound<T>(n));
        EXPECT_EQ(s.state.alpha, 0.5);
        EXPECT_EQ(s.state.beta, s.state.rho / 0.75);
        EXPECT_EQ(s.state.iteration, 1);
        EXPECT_EQ(s.state.reason, n == 0 ? StopReason::converged : StopReason::running);
    });
}

/// cg_update in two steps, as it is with a preconditioner that is not pointwise.
TYPED_TEST(CgKernels, ResidualAndRhoDecideOneAfterTheOther) {
    using T = TypeParam;
    this->on_all([](auto& backend, const auto& m, Step<T>& s) {
        const Size n = s.r.size();
        const Step<T> before(n);
        cg_residual(backend, s.q, s.r, &s.state);
        constexpr T alpha = 0.5;  // rho / curvature
        HostVector<T> z(n);
        long double rho = 0;
        long double residual2 = 0;
        for (Size i = 0; i < n; ++i) {
            ASSERT_TRUE(std::abs(s.r[i] - (before.r[i] - alpha * s.q[i])) <= few_ulps<T>) << i;
            z[i] = s.scale(m, i) * s.r[i];
            rho += static_cast<long double>(s.r[i]) * z[i];
            residual2 += static_cast<long double>(s.r[i]) * s.r[i];
        }
        EXPECT_TRUE(std::abs(s.state.residual2 - residual2) <= sum_bound<T>(n));
        EXPECT_EQ(s.state.alpha, 0.5);
        EXPECT_EQ(s.state.rho, 0.75);
        EXPECT_EQ(s.state.iteration, 1);
        EXPECT_EQ(s.state.reason, n == 0 ? StopReason::converged : StopReason::running);
        if (n == 0) return;
        cg_rho(backend, s.r, z, &s.state);
        EXPECT_TRUE(std::abs(s.state.rho - rho) <= sum_bound<T>(n));
        EXPECT_EQ(s.state.beta, s.state.rho / 0.75);
        EXPECT_EQ(s.state.iteration, 1);
        EXPECT_EQ(s.state.reason, StopReason::running);
    });
}

TYPED_TEST(CgKernels, RhoIsTakenAsItIsFound) {
    using T = TypeParam;
    this->on_all([](auto& backend, const auto&, Step<T>& s) {
        s.state.next_rho = 0.25;
        cg_take_rho(backend, &s.state);
        EXPECT_EQ(s.state.rho, 0.25);
        EXPECT_EQ(s.state.beta, 0.25 / 0.75);
        EXPECT_EQ(s.state.reason, StopReason::running);
        s.state.next_rho = -1;
        cg_take_rho(backend, &s.state);
        EXPECT_EQ(s.state.reason, StopReason::not_positive_definite);
        s.state.next_rho = 0.5;
        cg_take_rho(backend, &s.state);
        EXPECT_NE(s.state.rho, 0.5) << "it has ended";
    });
}

TYPED_TEST(CgKernels, DirectionMovesSolutionAndDirection) {
    using T = TypeParam;
    this->on_all([](auto& backend, const auto& m, Step<T>& s) {
        const Step<T> before(s.r.size());
        s.state.alpha = 0.5;
        cg_direction(backend, m, s.r, s.p, s.x, &s.state);
        for (Size i = 0; i < s.r.size(); ++i) {
            ASSERT_TRUE(std::abs(s.x[i] - (before.x[i] + T{0.5} * before.p[i])) <= few_ulps<T>) << i;
            ASSERT_TRUE(std::abs(s.p[i] - (s.scale(m, i) * s.r[i] + T{0.25} * before.p[i])) <= few_ulps<T>) << i;
        }
    });
}

TYPED_TEST(CgKernels, FinishLetsTheSolutionCatchUpOnlyIfItIsBehind) {
    using T = TypeParam;
    this->on_all([](auto& backend, const auto&, Step<T>& s) {
        const Step<T> before(s.r.size());
        s.state.alpha = 0.5;
        cg_finish(backend, s.p, s.x, &s.state);
        for (Size i = 0; i < s.r.size(); ++i) ASSERT_EQ(s.x[i], before.x[i]) << i;
        cg_stop(s.state, StopReason::converged);
        cg_finish(backend, s.p, s.x, &s.state);
        for (Size i = 0; i < s.r.size(); ++i) {
            ASSERT_TRUE(std::abs(s.x[i] - (before.x[i] + T{0.5} * s.p[i])) <= few_ulps<T>) << i;
        }
    });
}

TYPED_TEST(CgKernels, DoNothingOnceTheStateSaysStop) {
    using T = TypeParam;
    this->on_all([](auto& backend, const auto& m, Step<T>& s) {
        const Step<T> before(s.r.size());
        s.state.reason = StopReason::converged;
        cg_update(backend, m, s.q, s.r, &s.state);
        cg_residual(backend, s.q, s.r, &s.state);
        cg_rho(backend, s.r, s.q, &s.state);
        cg_direction(backend, m, s.r, s.p, s.x, &s.state);
        EXPECT_EQ(s.state.iteration, 0);
        EXPECT_EQ(s.state.rho, 0.75);
        for (Size i = 0; i < s.r.size(); ++i) {
            ASSERT_EQ(s.x[i], before.x[i]);
            ASSERT_EQ(s.r[i], before.r[i]);
            ASSERT_EQ(s.p[i], before.p[i]);
        }
    });
}

TYPED_TEST(CgKernels, LeaveTheSolutionAloneWhenTheCurvatureIsBad) {
    using T = TypeParam;
    const std::pair<double, StopReason> cases[] = {
        {-1.0, StopReason::not_positive_definite},
        {0.0, StopReason::not_positive_definite},
        {std::numeric_limits<double>::quiet_NaN(), StopReason::not_finite},
        {std::numeric_limits<double>::infinity(), StopReason::not_finite},
    };
    for (const auto& [curvature, reason] : cases) {
        this->on_all([curvature = curvature, reason = reason](auto& backend, const auto& m, Step<T>& s) {
            const Step<T> before(s.r.size());
            s.state.curvature = curvature;
            cg_update(backend, m, s.q, s.r, &s.state);
            EXPECT_EQ(s.state.reason, reason);
            EXPECT_EQ(s.state.iteration, 0);
            s.state.reason = StopReason::running;
            cg_residual(backend, s.q, s.r, &s.state);
            EXPECT_EQ(s.state.reason, reason);
            EXPECT_EQ(s.state.iteration, 0);
            cg_finish(backend, s.p, s.x, &s.state);
            for (Size i = 0; i < s.r.size(); ++i) ASSERT_EQ(s.x[i], before.x[i]);
        });
    }
}

TEST(CgDecide, NamesEveryReasonToStop) {
    const auto after = [](double residual2, double rho, Size max_iterations) {
        CgState state{.rho = 2, .target2 = 1e-4, .iteration = 4, .max_iterations = max_iterations};
        cg_decide(state, residual2, rho);
        EXPECT_EQ(state.iteration, 5);
        return state.reason;
    };
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(after(1.0, 1.0, 100), StopReason::running);
    EXPECT_EQ(after(1e-4, 1e-4, 100), StopReason::converged);
    EXPECT_EQ(after(1e-4, 1e-4, 5), StopReason::converged);
    EXPECT_EQ(after(1.0, 1.0, 5), StopReason::max_iterations);
    EXPECT_EQ(after(1.0, -1.0, 100), StopReason::not_positive_definite);
    EXPECT_EQ(after(nan, 1.0, 100), StopReason::not_finite);
    EXPECT_EQ(after(1.0, nan, 100), StopReason::not_finite);
}

TEST(CgDecide, TheStepInXHasItsOwnUnit) {
    CgState state{.rho = 3, .curvature = 2, .x_unit = 0x1p40, .max_iterations = 9};
    cg_decide(state, 1.0, 1.0);
    EXPECT_EQ(state.alpha, 1.5 * 0x1p40);
    EXPECT_EQ(state.beta, 1.0 / 3);
}

TEST(CgDecide, BeginsWithoutAStep) {
    CgState state{.rho = 2, .alpha = 3, .beta = 4, .iteration = 7, .max_iterations = 100};
    cg_begin(state);
    cg_decide_rho(state, 0.5);
    EXPECT_EQ(state.rho, 0.5);
    EXPECT_LT(state.beta, 1e-300);
    EXPECT_EQ(state.alpha, 0);
    EXPECT_EQ(state.iteration, 7);
    EXPECT_EQ(state.reason, StopReason::running);
}

}  // namespace
}  // namespace stiefel
