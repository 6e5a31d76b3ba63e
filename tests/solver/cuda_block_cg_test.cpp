#include "stiefel/core/cuda/loop.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/block_cg.hpp"
#include "stiefel/spmv/device_formats.hpp"
#include "support/accuracy_suite.hpp"
#include "support/block_cg_ends.hpp"
#include "support/bounds.hpp"
#include "support/columns.hpp"
#include "support/csr_checks.hpp"
#include "support/cuda.hpp"
#include "support/slow_monitor.hpp"
#include "support/true_residual.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

namespace stiefel {
namespace {

using test::column;
using test::diagonal_matrix;
using test::random_panel;
using test::set_column;
using test::zero_panel;

template <class T>
class CudaBlockCg : public test::OnCuda {
protected:
    static constexpr double rtol = std::is_same_v<T, double> ? 1e-10 : 1e-4;

    Multivector<T, DeviceMemory> panel_to_device(const HostMultivector<T>& a) {
        return {this->to_device(a.values()), a.n_rows(), a.n_cols()};
    }
    HostMultivector<T> panel_to_host(const Multivector<T, DeviceMemory>& a) {
        return {this->to_host(a.values()), a.n_rows(), a.n_cols()};
    }

    BlockSolveResult solve(const HostCsr<T>& a, const HostMultivector<T>& b, HostMultivector<T>& x,
                           const CgOptions& options, bool jacobi = false) {
        const DeviceCsr<T> device_a = stiefel::to_device(this->backend(), a);
        const auto device_b = panel_to_device(b);
        auto device_x = panel_to_device(x);
        BlockSolveResult result = jacobi ? block_cg(this->backend(), device_a, make_jacobi(this->backend(), device_a),
                                                    device_b, device_x, options)
                                         : block_cg(this->backend(), device_a, device_b, device_x, options);
        x = panel_to_host(device_x);
        return result;
    }

    ::testing::AssertionResult all_converged(const HostCsr<T>& a, const HostMultivector<T>& b,
                                             const HostMultivector<T>& x, const BlockSolveResult& result) {
        if (result.reason != StopReason::converged) {
            return ::testing::AssertionFailure() << "ended as " << to_string(result.reason);
        }
        for (Index j = 0; j < b.n_cols(); ++j) {
            const auto actual = static_cast<double>(true_relative_residual(a, column(b, j), column(x, j)));
            if (!(actual <= 1.1 * rtol)) return ::testing::AssertionFailure() << "column " << j << ": " << actual;
        }
        return ::testing::AssertionSuccess();
    }
};

using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(CudaBlockCg, Types);

TYPED_TEST(CudaBlockCg, LateEndsAreNamed) {
    using T = TypeParam;
    test::check_late_block_ends<T>([&](const HostCsr<T>& a, const HostMultivector<T>& b, HostMultivector<T>& x,
                                       const CgOptions& options) { return this->solve(a, b, x, options); });
}

TYPED_TEST(CudaBlockCg, TheConditionIsThatOfMA) {
    using T = TypeParam;
    const auto solve = [&](const HostCsr<T>& a, const HostVector<T>& inverse_diagonal, const HostMultivector<T>& b,
                           HostMultivector<T>& x, const CgOptions& options) {
        return this->solve(a, b, x, options, !inverse_diagonal.empty());
    };
    test::check_block_condition<T>(solve);
    test::check_no_block_condition<T>(solve);
}

/// On a line this long residuals do not fall before the host is heard: see NoLoopOutrunsItsWindow of CG.
TYPED_TEST(CudaBlockCg, EndsWhenTheHostAsks) {
    using T = TypeParam;
    OpenMP maker(1);
    const HostCsr<T> a = poisson1d<T>(maker, 200000);
    const auto b = random_panel<T>(a.n_rows, 2, 31);
    for (const Size asked : {5, 25}) {
        auto x = zero_panel<T>(a.n_rows, 2);
        const auto monitor = [&](const CgProgress& progress) { return progress.iteration < asked; };
        const auto result = this->solve(a, b, x, {.rtol = 0, .max_iterations = 1000000, .monitor = monitor});
        EXPECT_EQ(result.reason, StopReason::interrupted);
        EXPECT_GE(result.iterations, asked);
        EXPECT_LE(result.iterations, asked == 5 ? 5 : asked + loop_ring);
        auto y = zero_panel<T>(a.n_rows, 2), z = zero_panel<T>(a.n_rows, 2);
        for (auto* paused : {&y, &z}) {
            const CgOptions options{.rtol = 0, .max_iterations = 1000, .monitor = monitor, .pauses = {3, asked}};
            EXPECT_EQ(this->solve(a, b, *paused, options).iterations, asked);
        }
        EXPECT_TRUE(std::equal(y.values().begin(), y.values().end(), z.values().begin())) << asked;
    }
}

TYPED_TEST(CudaBlockCg, EndsWhenTheTimeIsUp) {
    using T = TypeParam;
    OpenMP maker(1);
    const HostCsr<T> a = poisson1d<T>(maker, 200000);
    const auto b = random_panel<T>(a.n_rows, 2, 31);
    constexpr double limit = 0.01;
    test::SlowAt slow(7, limit);
    auto x = zero_panel<T>(a.n_rows, 2);
    const auto result =
        this->solve(a, b, x, {.rtol = 0, .max_iterations = 1000000, .monitor = std::ref(slow), .time_limit = limit});
    EXPECT_EQ(result.reason, StopReason::time_limit);
    EXPECT_GE(result.seconds, limit);
    EXPECT_LE(result.iterations, 7 + loop_ring);
    EXPECT_EQ(slow.last(), result.iterations);
    for (Index j = 0; j < 2; ++j) {
        const ColumnResult& told = result.columns[static_cast<std::size_t>(j)];
        EXPECT_EQ(told.reason, StopReason::time_limit) << j;
        const auto of_b = column(b, j), of_x = column(x, j);
        EXPECT_TRUE(test::within(told.relative_residual, true_relative_residual(a, of_b, of_x),
                                 true_residual_bound(a, of_b, of_x)))
            << j;
    }
    auto y = zero_panel<T>(a.n_rows, 2);
    const auto none = this->solve(a, b, y, {.time_limit = 0});
    EXPECT_EQ(none.reason, StopReason::time_limit);
    EXPECT_EQ(none.iterations, 0);
}

TYPED_TEST(CudaBlockCg, SolvesForAnyNumberOfColumnsInAsManyIterationsAsSerial) {
    using T = TypeParam;
    OpenMP maker(1);
    Serial serial;
    const HostCsr<T> a = poisson2d<T>(maker, 30, 33);
    for (const Index k : {1, 2, 3, 4, 5, 8, 9, 13, 16, 17, 24, 31, 32, 33, 40, 63, 64}) {
        const auto b = random_panel<T>(a.n_rows, k, 1);
        for (const bool jacobi : {false, true}) {
            const CgOptions options{.rtol = this->rtol};
            auto x = zero_panel<T>(a.n_rows, k);
            const auto result = this->solve(a, b, x, options, jacobi);
            EXPECT_TRUE(this->all_converged(a, b, x, result)) << k << " columns, jacobi " << jacobi;
            auto y = zero_panel<T>(a.n_rows, k);
            const auto expected = jacobi ? block_cg(serial, a, make_jacobi(serial, a), b, y, options)
                                         : block_cg(serial, a, b, y, options);
            EXPECT_NEAR(static_cast<double>(result.iterations), static_cast<double>(expected.iterations), 2)
                << k << " columns, jacobi " << jacobi;
        }
    }
}

TYPED_TEST(CudaBlockCg, ManyRowsAcrossManyBlocks) {
    using T = TypeParam;
    OpenMP maker(1);
    const HostCsr<T> a = poisson3d<T>(maker, 61, 59, 53);
    for (const Index k : {3, 8, 20}) {
        const auto b = random_panel<T>(a.n_rows, k, 2);
        auto x = zero_panel<T>(a.n_rows, k);
        EXPECT_TRUE(this->all_converged(a, b, x, this->solve(a, b, x, {.rtol = this->rtol}))) << k;
    }
}

TYPED_TEST(CudaBlockCg, DependentColumnsAreNoTrouble) {
    using T = TypeParam;
    OpenMP maker(1);
    const HostCsr<T> a = poisson2d<T>(maker, 25, 25);
    auto b = random_panel<T>(a.n_rows, 6, 5);
    set_column(b, 1, column(b, 0));
    HostVector<T> sum(a.n_rows);
    for (Index i = 0; i < a.n_rows; ++i) sum[i] = column(b, 0)[i] + column(b, 2)[i];
    set_column(b, 3, sum);
    set_column(b, 4, HostVector<T>(a.n_rows, T{0}));
    auto x = random_panel<T>(a.n_rows, 6, 6);
    EXPECT_TRUE(this->all_converged(a, b, x, this->solve(a, b, x, {.rtol = this->rtol})));
    for (const T value : column(x, 4)) EXPECT_EQ(value, T{0});
}

TYPED_TEST(CudaBlockCg, NamesTheColumnThatIsNotFinite) {
    using T = TypeParam;
    OpenMP maker(1);
    const HostCsr<T> a = poisson1d<T>(maker, 3000);
    for (const T bad : {std::numeric_limits<T>::quiet_NaN(), -std::numeric_limits<T>::infinity()}) {
        auto b = random_panel<T>(3000, 3, 7);
        auto x = zero_panel<T>(3000, 3);
        b.values()[3 * 1700 + 1] = bad;
        EXPECT_EQ(test::refusal([&] { this->solve(a, b, x, {}); }), "block_cg: column 2 of B holds a NaN or infinity");
    }
}

TYPED_TEST(CudaBlockCg, SaysNotPositiveDefinite) {
    using T = TypeParam;
    for (const HostCsr<T>& a :
         {diagonal_matrix<T>({1, -2, 3, 4, 5, 6}), diagonal_matrix<T>({-1, -2, -3, -4, -5, -6})}) {
        const auto b = random_panel<T>(6, 3, 8);
        auto x = zero_panel<T>(6, 3);
        EXPECT_EQ(this->solve(a, b, x, {}).reason, StopReason::not_positive_definite);
    }
}

TYPED_TEST(CudaBlockCg, HoldsAtBothEndsOfTheRange) {
    using T = TypeParam;
    OpenMP maker(1);
    const HostCsr<T> a = poisson2d<T>(maker, 12, 12);
    const int far = std::is_same_v<T, double> ? 900 : 100;
    auto b = random_panel<T>(144, 2, 9);
    for (Index i = 0; i < 144; ++i) {
        b.values()[2 * i] = std::ldexp(b.values()[2 * i], far);
        b.values()[2 * i + 1] = std::ldexp(b.values()[2 * i + 1], -far);
    }
    auto x = zero_panel<T>(144, 2);
    EXPECT_TRUE(this->all_converged(a, b, x, this->solve(a, b, x, {.rtol = this->rtol})));
}

TYPED_TEST(CudaBlockCg, RepeatsBitForBitAndTellsEveryIteration) {
    using T = TypeParam;
    OpenMP maker(1);
    const HostCsr<T> a = poisson3d<T>(maker, 31, 31, 31);
    const auto b = random_panel<T>(a.n_rows, 8, 10);
    Size expected = 0;
    const auto monitor = [&](const CgProgress& progress) {
        EXPECT_EQ(progress.iteration, expected++);
        return true;
    };
    auto x = zero_panel<T>(a.n_rows, 8);
    auto y = zero_panel<T>(a.n_rows, 8);
    const auto result = this->solve(a, b, x, {.rtol = this->rtol, .history = true, .monitor = monitor});
    this->solve(a, b, y, {.rtol = this->rtol});
    EXPECT_EQ(std::memcmp(x.values().data(), y.values().data(), static_cast<std::size_t>(x.values().bytes())), 0);
    EXPECT_EQ(static_cast<Size>(result.history.size()), result.iterations + 1);
}

TYPED_TEST(CudaBlockCg, KeepsToItsBudget) {
    using T = TypeParam;
    OpenMP maker(1);
    const HostCsr<T> a = poisson2d<T>(maker, 40, 40);
    const auto b = random_panel<T>(a.n_rows, 4, 11);
    for (const Size budget : {0, 1, 7, 23}) {
        auto x = zero_panel<T>(a.n_rows, 4);
        const auto result = this->solve(a, b, x, {.rtol = 1e-30, .max_iterations = budget});
        EXPECT_EQ(result.reason, StopReason::max_iterations);
        EXPECT_EQ(result.iterations, budget);
        for (Index j = 0; j < 4; ++j) {
            const auto actual = static_cast<double>(true_relative_residual(a, column(b, j), column(x, j)));
            EXPECT_NEAR(result.columns[static_cast<std::size_t>(j)].relative_residual, actual, 1e-4 * (1 + actual));
        }
    }
}

}  // namespace
}  // namespace stiefel
