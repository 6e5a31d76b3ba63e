#include "stiefel/solver/cg_foreseen.hpp"

#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/cg.hpp"
#include "support/accuracy_suite.hpp"
#include "support/backends.hpp"
#include "support/columns.hpp"
#include "support/true_residual.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace stiefel::test {
namespace {

template <class T>
double dot_of(const HostVector<T>& x, const HostVector<T>& y) {
    double sum = 0;
    for (Size i = 0; i < x.size(); ++i) sum += static_cast<double>(x[i]) * static_cast<double>(y[i]);
    return sum;
}

/// M r, times a number.
template <class T>
HostVector<T> scaled(const HostVector<T>& m, const HostVector<T>& r, T times = 1) {
    HostVector<T> z(r.size());
    for (Size i = 0; i < r.size(); ++i) z[i] = (m.empty() ? T{1} : m[i]) * (times * r[i]);
    return z;
}

/// CG as a loop that foresees its directions, as plainly as can be, from x = 0. at_step sees the state before each
/// step, and beta of the direction after it.
template <class T>
CgState foreseeing_cg(
    const HostCsr<T>& a, const HostVector<T>& m, const HostVector<T>& b, HostVector<T>& x, CgState state,
    const std::function<void(const CgState&, double beta)>& at_step = [](const CgState&, double) {}) {
    Serial serial;
    const HostVector<T> no_m;
    HostVector<T> r = b.clone(), q(b.size());
    HostVector<T> p = scaled(m, r);
    x = HostVector<T>(b.size(), T{0});
    cg_begin(state);
    state.rho = dot_of(r, p);
    state.residual2 = dot_of(r, r);
    CgForesight ahead = cg_first_foresight(state.rho);
    double sums[cg_sum::n] = {};
    for (;;) {
        spmv(serial, a, p, q);
        const HostVector<T> in_unit = scaled(no_m, q, static_cast<T>(ahead.unit));
        sums[cg_sum::curvature] = dot_of(p, q);
        sums[cg_sum::r_mq] = dot_of(r, scaled(m, in_unit));
        sums[cg_sum::q_mq] = dot_of(in_unit, scaled(m, in_unit));
        cg_look_back(state, ahead.has_stepped, ahead.length, ahead.beta, sums);
        cg_look_ahead<T>(ahead, sums);
        if (state.reason != StopReason::running) return state;
        at_step(state, ahead.beta);
        const auto alpha = static_cast<T>(ahead.length), beta = static_cast<T>(ahead.beta);
        for (Size i = 0; i < b.size(); ++i) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
            p[i] = (m.empty() ? T{1} : m[i]) * r[i] + beta * p[i];
        }
        ahead.has_stepped = true;
        sums[cg_sum::residual2] = dot_of(r, r);
        sums[cg_sum::rho] = dot_of(r, scaled(m, r));
    }
}

/// The state of a run for |b| and rtol.
CgState asked_for(double rhs_norm, double rtol, Size max_iterations = 100000) {
    return {.target2 = std::pow(rtol * rhs_norm, 2), .max_iterations = max_iterations};
}

template <class T>
SolveResult by_cg(const HostCsr<T>& a, const HostVector<T>& m, const HostVector<T>& b, double rtol) {
    Serial serial;
    HostVector<T> x(b.size(), T{0});
    const CgOptions options{.rtol = rtol};
    if (m.empty()) return cg(serial, a, b, x, options);
    return cg(serial, a, HostJacobi<T>{m.clone()}, b, x, options);
}

template <class T>
class CgForeseen : public ::testing::Test {
protected:
    static constexpr double rtol = std::is_same_v<T, double> ? 1e-8 : 1e-4;
    OpenMP maker{1};
};
TYPED_TEST_SUITE(CgForeseen, EveryType);

/// What is told of a direction before its step is what comes out, so it takes the iterations that CG takes.
TYPED_TEST(CgForeseen, ConvergesAsCgDoes) {
    using T = TypeParam;
    for (const Spectrum<T>& of : spectra<T>()) {
        SCOPED_TRACE(of.name);
        const HostVector<T> b = random_vector<T>(of.a.n_rows, 7);
        const SolveResult expected = by_cg(of.a, of.inverse_diagonal, b, this->rtol);
        HostVector<T> x;
        double told = 0;
        const double norm = std::sqrt(dot_of(b, b));
        const CgState state = foreseeing_cg(of.a, of.inverse_diagonal, b, x, asked_for(norm, this->rtol),
                                            [&](const CgState&, double beta) { told = std::max(told, beta); });
        EXPECT_EQ(state.reason, StopReason::converged);
        EXPECT_FALSE(state.x_is_behind);
        EXPECT_NEAR(static_cast<double>(state.iteration), static_cast<double>(expected.iterations),
                    2 + 0.15 * static_cast<double>(expected.iterations))
            << "only where rounding makes most of them, as many times n";
        EXPECT_TRUE(state.iteration == 1 || told > 0);
        if (expected.restarts > 0) continue;  // its recurrence has drifted from what is left
        const auto left = static_cast<double>(true_relative_residual(of.a, b, x));
        EXPECT_LE(left, 2 * this->rtol);
    }
}

/// beta as it is told, and as it is once the step is taken.
TYPED_TEST(CgForeseen, TellsTheDirectionBeforeTheStep) {
    using T = TypeParam;
    const HostCsr<T> a = poisson2d<T>(this->maker, 12, 9);
    const HostVector<T> m = inverse_diagonal_of(a), b = random_vector<T>(a.n_rows, 3);
    HostVector<T> x;
    double told = -1, rho = 0;
    const auto check = [&](const CgState& now, double beta) {
        if (told >= 0) {
            EXPECT_NEAR(told, now.rho / rho, 1e3 * std::numeric_limits<T>::epsilon()) << now.iteration;
        }
        told = beta;
        rho = now.rho;
    };
    EXPECT_EQ(foreseeing_cg(a, m, b, x, asked_for(0, 0, 15), check).reason, StopReason::max_iterations);
}

/// The squares of A p have A's size twice: the unit keeps them in range wherever <p, A p> is.
TYPED_TEST(CgForeseen, AMayBeOfAnySize) {
    using T = TypeParam;
    constexpr int far = std::numeric_limits<T>::max_exponent * 3 / 4;
    const HostVector<T> b = random_vector<T>(90, 5);
    const double norm = std::sqrt(dot_of(b, b));
    Size usual = 0;
    for (const int exponent : {0, 40, -40, far, -far}) {
        HostCsr<T> a = poisson2d<T>(this->maker, 10, 9);
        for (T& value : a.values) value = std::ldexp(value, exponent);
        HostVector<T> x;
        const CgState state = foreseeing_cg(a, HostVector<T>(), b, x, asked_for(norm, this->rtol));
        EXPECT_EQ(state.reason, StopReason::converged) << exponent;
        if (exponent == 0) usual = state.iteration;
        EXPECT_NEAR(static_cast<double>(state.iteration), static_cast<double>(usual), 3) << exponent;
    }
}

TYPED_TEST(CgForeseen, EndsAfterTheVeryIteration) {
    using T = TypeParam;
    const HostCsr<T> a = poisson2d<T>(this->maker, 12, 9);
    const HostVector<T> b = random_vector<T>(a.n_rows, 3);
    HostVector<T> x;
    for (const Size most : {1, 2, 7}) {
        Size steps = 0;
        const CgState state =
            foreseeing_cg(a, HostVector<T>(), b, x, asked_for(0, 0, most), [&](const CgState&, double) { ++steps; });
        EXPECT_EQ(state.reason, StopReason::max_iterations);
        EXPECT_EQ(state.iteration, most);
        EXPECT_EQ(steps, most);
        EXPECT_FALSE(state.x_is_behind);
    }
}

/// A step that leaves nothing that rounding has not made begins a new direction.
TYPED_TEST(CgForeseen, NothingLeftIsNoDirection) {
    CgForesight ahead = cg_first_foresight(1);
    ahead.length = 1;
    constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(cg_foreseen_beta(1, ahead, 1, 1), 0);
    EXPECT_EQ(cg_foreseen_beta(1, ahead, 1, 1 - 1e-16), 0);
    EXPECT_EQ(cg_foreseen_beta(1, ahead, 1, inf), 0);
    EXPECT_EQ(cg_foreseen_beta(1, ahead, nan, 1), 0);
    EXPECT_EQ(cg_foreseen_beta(1, ahead, 1, 1.25), 0.25);
}

TYPED_TEST(CgForeseen, TheUnitIsThePowerOfTwoBelow) {
    using T = TypeParam;
    EXPECT_EQ(cg_unit<T>(1), T{1});
    EXPECT_EQ(cg_unit<T>(1.9), T{1});
    EXPECT_EQ(cg_unit<T>(2), T{2});
    EXPECT_EQ(cg_unit<T>(0.3), T{0.25});
    EXPECT_EQ(cg_unit<T>(1000), T{512});
    EXPECT_TRUE(std::isfinite(cg_unit<T>(std::numeric_limits<double>::infinity())));
    EXPECT_GT(cg_unit<T>(0), T{0});
}

}  // namespace
}  // namespace stiefel::test
