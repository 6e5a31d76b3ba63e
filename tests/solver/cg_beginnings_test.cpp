// Runs that begin where another has ended, or at zeros, and how one ends that is followed.

#include "stiefel/dense/norm.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/spmv.hpp"
#include "support/cg_on_hosts.hpp"
#include "support/columns.hpp"
#include "support/matrices.hpp"
#include "support/true_residual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiefel::test {
namespace {

template <class Where>
class CgBeginnings : public CgOnHosts<Where> {};
TYPED_TEST_SUITE(CgBeginnings, EveryBackendAndType);

/// It leaves the x of any run that ends there, and nobody asks what that is worth; but only where the monitor ended it.
TYPED_TEST(CgBeginnings, AFollowedRunIsHandedOver) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson2d<T>(this->maker, 40, 40);
    const HostVector<T> b = random_vector<T>(a.n_rows, 6);
    const auto solve = [&](bool is_followed, Size asked, HostVector<T>& x) {
        x = random_vector<T>(a.n_rows, 7);
        const auto monitor = [&](const CgProgress& progress) { return progress.iteration < asked; };
        return cg(
            this->backend, a, b, x,
            {.rtol = this->rtol, .monitor = monitor, .is_followed = [=] { return is_followed; }, .matrix_norm = 8});
    };
    HostVector<T> x[2];
    const SolveResult judged = solve(false, 9, x[0]), followed = solve(true, 9, x[1]);
    for (const SolveResult* const each : {&judged, &followed}) {
        EXPECT_EQ(each->reason, StopReason::interrupted);
        EXPECT_EQ(each->iterations, 9);
        EXPECT_EQ(each->x_iteration, 9);
        EXPECT_EQ(each->recurrence_residual, judged.recurrence_residual);
    }
    EXPECT_TRUE(judged.ritz.has_value() && judged.accuracy.has_value());
    EXPECT_FALSE(followed.ritz.has_value() || followed.accuracy.has_value());
    EXPECT_EQ(followed.relative_residual, followed.recurrence_residual);
    EXPECT_TRUE(std::equal(x[0].begin(), x[0].end(), x[1].begin(), x[1].end()));

    const SolveResult converged = solve(true, 100000, x[1]);
    EXPECT_EQ(converged.reason, StopReason::converged);
    EXPECT_TRUE(converged.ritz.has_value() && converged.accuracy.has_value());
    EXPECT_TRUE(std::abs(converged.relative_residual - static_cast<double>(true_relative_residual(a, b, x[1]))) <=
                1e-5);
}

/// Whatever x held, the run is to the bit that which begins at zeros.
TYPED_TEST(CgBeginnings, AtZerosOnRequest) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson2d<T>(this->maker, 40, 40);
    const HostVector<T> b = random_vector<T>(a.n_rows, 6);
    for (const Size iterations : {Size{0}, Size{1000}}) {
        HostVector<T> zeros(a.n_rows, T{0}), x(a.n_rows, std::numeric_limits<T>::quiet_NaN());
        CgOptions options{.rtol = this->rtol, .max_iterations = iterations, .history = true};
        const SolveResult given = cg(this->backend, a, b, zeros, options);
        options.from_zero = true;
        const SolveResult asked = cg(this->backend, a, b, x, options);
        EXPECT_EQ(asked.reason, iterations > 0 ? StopReason::converged : StopReason::max_iterations);
        EXPECT_EQ(asked.history, given.history);
        EXPECT_EQ(asked.initial_residual, 1);
        EXPECT_EQ(asked.relative_residual, given.relative_residual);
        EXPECT_TRUE(bit_equal(x, zeros));
    }
    HostVector<T> x(a.n_rows, T{1});
    EXPECT_EQ(cg(this->backend, a, HostVector<T>(a.n_rows, T{0}), x, {.from_zero = true}).reason,
              StopReason::converged);
    EXPECT_TRUE(bit_equal(x, HostVector<T>(a.n_rows, T{0})));
}

/// Who goes on from another's residual ends by b - A x all the same, also where that residual is not x's.
TYPED_TEST(CgBeginnings, FromWhatAnotherRunHasLeft) {
    using T = typename TypeParam::type;
    using B = typename TypeParam::backend;
    const HostCsr<T> a = poisson2d<T>(this->maker, 40, 40);
    const HostVector<T> b = random_vector<T>(a.n_rows, 6);
    const auto rounding = 100 * static_cast<double>(std::numeric_limits<T>::epsilon());
    const auto true_residual = [&](const HostVector<T>& x) {
        return static_cast<double>(true_relative_residual(a, b, x));
    };
    const auto is_followed = [] { return true; };
    const auto monitor = [](const CgProgress& progress) { return progress.iteration < 9; };
    HostVector<T> x;
    const auto leave = [&](CgHandover<B, T>& handover) {
        x = HostVector<T>(a.n_rows, T{0});
        return cg<B, T>(this->backend, a, Identity{}, b, x,
                        {.rtol = this->rtol, .monitor = monitor, .is_followed = is_followed}, &handover);
    };
    CgHandover<B, T> handover;
    const SolveResult first = leave(handover);
    EXPECT_EQ(first.iterations, 9);
    ASSERT_EQ(handover.r.size(), a.n_rows);
    EXPECT_NEAR(norm(this->backend, handover.r), handover.residual_norm, rounding * handover.residual_norm);
    EXPECT_NEAR(first.relative_residual, true_residual(x), rounding * true_residual(x));

    const SolveResult second =
        cg<B, T>(this->backend, a, Identity{}, b, x, {.rtol = this->rtol, .history = true}, &handover);
    EXPECT_EQ(second.reason, StopReason::converged);
    EXPECT_EQ(second.history.front(), first.recurrence_residual);
    EXPECT_LE(second.restarts, 1);
    EXPECT_TRUE(std::abs(second.relative_residual - true_residual(x)) <= 1e-5);
    EXPECT_LE(second.relative_residual, this->rtol);
    EXPECT_TRUE(handover.r.empty() && handover.residual_norm == 0) << "for one run";

    leave(handover);
    const SolveResult stopped =
        cg<B, T>(this->backend, a, Identity{}, b, x,
                 {.rtol = this->rtol, .monitor = [](const CgProgress&) { return false; }}, &handover);
    EXPECT_EQ(stopped.reason, StopReason::interrupted);
    EXPECT_NEAR(stopped.relative_residual, true_residual(x), rounding * true_residual(x));

    leave(handover);
    x = random_vector<T>(a.n_rows, 8);
    const SolveResult misled = cg<B, T>(this->backend, a, Identity{}, b, x, {.rtol = this->rtol}, &handover);
    EXPECT_EQ(misled.reason, StopReason::converged);
    EXPECT_GE(misled.restarts, 1);
    EXPECT_TRUE(std::abs(misled.relative_residual - true_residual(x)) <= 1e-5);
}

}  // namespace
}  // namespace stiefel::test
