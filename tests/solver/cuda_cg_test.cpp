#include "stiefel/solver/cg.hpp"

#include "stiefel/core/cuda/check.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/stencil27.hpp"
#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/spmv.hpp"
#include "stiefel/spmv/spmv_work.hpp"
#include "support/columns.hpp"
#include "support/cuda.hpp"
#include "support/matrices.hpp"
#include "support/true_residual.hpp"

#include <cmath>
#include <memory>

namespace stiefel::test {
namespace {

template <class T>
class CudaCg : public OnCuda {
protected:
    static constexpr double rtol = std::is_same_v<T, double> ? 1e-10 : 1e-5;

    /// Solves on the device from the guess x on the host, which becomes the solution.
    template <class Matrix>
    SolveResult solve(const Matrix& a, const HostVector<T>& b, HostVector<T>& x, const CgOptions& options = {}) {
        auto device_x = this->to_device(x);
        const SolveResult result = cg(this->backend(), a, this->to_device(b), device_x, options);
        x = this->to_host(device_x);
        return result;
    }
    template <class Matrix>
    SolveResult solve_jacobi(const Matrix& a, const DeviceCsr<T>& csr, const HostVector<T>& b, HostVector<T>& x,
                             const CgOptions& options = {}) {
        auto device_x = this->to_device(x);
        const SolveResult result =
            cg(this->backend(), a, make_jacobi(this->backend(), csr), this->to_device(b), device_x, options);
        x = this->to_host(device_x);
        return result;
    }

    OpenMP maker{2};
};

using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(CudaCg, Types);

TYPED_TEST(CudaCg, SolvesAsTheHostDoes) {
    using T = TypeParam;
    for (Index n : {1, 2, 3, 8, 17, 40}) {
        const HostCsr<T> host = poisson3d<T>(this->maker, n, n, n);
        const HostVector<T> b = random_vector<T>(host.n_rows, 1);
        const DeviceCsr<T> csr = stiefel::to_device(this->backend(), host);
        const DeviceSell<T> sell = sell_from_csr(this->backend(), csr, 32, 1, {1e9});
        const double rounding = 32.0 * n * n * std::numeric_limits<T>::epsilon();
        const auto check = [&](const SolveResult& result, const SolveResult& expected, const HostVector<T>& x) {
            EXPECT_EQ(result.reason, StopReason::converged) << n;
            EXPECT_NEAR(static_cast<double>(result.iterations), static_cast<double>(expected.iterations), 2) << n;
            const auto actual = static_cast<double>(true_relative_residual(host, b, x));
            EXPECT_TRUE(std::abs(result.relative_residual - actual) <= rounding) << n;
            EXPECT_TRUE(actual <= this->rtol + rounding) << n;
        };
        const CgOptions options{.rtol = this->rtol};
        HostVector<T> expected_x(host.n_rows, T{0});
        const SolveResult plain = cg(this->maker, host, b, expected_x, options);
        HostVector<T> x(host.n_rows, T{0});
        check(this->solve(csr, b, x, options), plain, x);
        x = HostVector<T>(host.n_rows, T{0});
        check(this->solve(sell, b, x, options), plain, x);
        const auto compressed = compressed_sell_from_csr(this->backend(), csr, 32, {1e9});
        x = HostVector<T>(host.n_rows, T{0});
        check(this->solve(compressed, b, x, options), plain, x);
        for (const auto layout : {EllpackLayout::row_major, EllpackLayout::column_major}) {
            x = HostVector<T>(host.n_rows, T{0});
            check(this->solve(ellpack_from_csr(this->backend(), csr, layout, {1e9}), b, x, options), plain, x);
        }
        HostVector<T> expected_y(host.n_rows, T{0});
        const SolveResult scaled = cg(this->maker, host, make_jacobi(this->maker, host), b, expected_y, options);
        x = HostVector<T>(host.n_rows, T{0});
        check(this->solve_jacobi(csr, csr, b, x, options), scaled, x);
        x = HostVector<T>(host.n_rows, T{0});
        check(this->solve_jacobi(sell, csr, b, x, options), scaled, x);
        x = HostVector<T>(host.n_rows, T{0});
        check(this->solve_jacobi(compressed, csr, b, x, options), scaled, x);
    }
}

/// Systems that need all of the shared memory, with two and with three rows a thread, and one that does not fit; then
/// such of which the vectors alone may fit, whole or in part.
TYPED_TEST(CudaCg, IteratesAsTheHostDoesUpToTheSizeOfTheMultiprocessors) {
    using T = TypeParam;
    for (Index n : {450, 560, 640, 1000, 1150, 1500, 1800}) {
        SCOPED_TRACE(n);
        const HostCsr<T> host = poisson2d<T>(this->maker, n, n);
        const HostVector<T> b = random_vector<T>(host.n_rows, 1);
        const DeviceCsr<T> csr = stiefel::to_device(this->backend(), host);
        const CgOptions options{.rtol = 0, .max_iterations = 40};
        HostVector<T> expected_x(host.n_rows, T{0});
        const SolveResult expected = cg(this->maker, host, b, expected_x, options);
        HostVector<T> x(host.n_rows, T{0});
        const auto check = [&](const SolveResult& result) {
            EXPECT_EQ(result.iterations, 40);
            const double tolerance = 1e5 * std::numeric_limits<T>::epsilon();
            EXPECT_TRUE(std::abs(result.recurrence_residual / expected.recurrence_residual - 1) <= tolerance);
            EXPECT_TRUE(std::abs(result.relative_residual / expected.relative_residual - 1) <= tolerance);
        };
        if (n < 1000) check(this->solve(sell_from_csr(this->backend(), csr, 32, 1), b, x, options));
        x = HostVector<T>(host.n_rows, T{0});
        check(this->solve(compressed_sell_from_csr(this->backend(), csr, 32), b, x, options));
    }
}

/// What the host asks of a loop that has ended already does not end the next one, however late it arrives: the bus is
/// kept busy meanwhile.
TYPED_TEST(CudaCg, RequestsDoNotReachTheNextLoop) {
    using T = TypeParam;
    constexpr Size busy_bytes = Size{64} << 20;
    void* host_memory = nullptr;
    check_cuda(cudaHostAlloc(&host_memory, busy_bytes, cudaHostAllocDefault), "allocating");
    const std::shared_ptr<void> from(host_memory, [](void* p) { static_cast<void>(cudaFreeHost(p)); });
    const Cuda busy;
    const HostCsr<T> host = poisson2d<T>(this->maker, 30, 30);
    const DeviceCsr<T> csr = stiefel::to_device(this->backend(), host);
    const HostVector<T> b = random_vector<T>(host.n_rows, 1);
    DeviceVector<char> to(busy, busy_bytes);
    constexpr Size few = 5;
    for (int turn = 0; turn < 20; ++turn) {
        HostVector<T> x(host.n_rows, T{0});
        for (int copies = 0; copies < 4; ++copies) busy.copy_bytes(to.data(), from.get(), busy_bytes);
        const SolveResult ended =
            this->solve(csr, b, x, {.rtol = 0, .max_iterations = few, .monitor = [](const CgProgress& progress) {
                                        return progress.iteration < few;
                                    }});
        ASSERT_EQ(ended.reason, StopReason::max_iterations);
        const SolveResult next = this->solve(csr, b, x, {.rtol = this->rtol});
        ASSERT_EQ(next.reason, StopReason::converged) << "turn " << turn;
        busy.synchronize();
    }
}

TYPED_TEST(CudaCg, NamesTheReasonsToStop) {
    using T = TypeParam;
    const auto reason = [&](const HostCsr<T>& a, HostVector<T> b) {
        HostVector<T> x(4, T{0});
        return this->solve(stiefel::to_device(this->backend(), a), b, x, {.rtol = this->rtol}).reason;
    };
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    EXPECT_EQ(reason(diagonal_matrix<T>({1, -2, 3, 4}), {1, 2, 1, 0}), StopReason::not_positive_definite);
    EXPECT_EQ(reason(diagonal_matrix<T>({-1, -2, -3, -4}), {1, 2, 1, 0}), StopReason::not_positive_definite);
    EXPECT_EQ(reason(diagonal_matrix<T>({0, 0, 0, 0}), {1, 2, 1, 0}), StopReason::not_positive_definite);
    EXPECT_EQ(reason(diagonal_matrix<T>({1, 2, 0, 4}), {1, 1, 0, 1}), StopReason::converged);
    EXPECT_EQ(reason(diagonal_matrix<T>({1, 2, 0, 4}), {1, 1, 1, 1}), StopReason::not_positive_definite);
    EXPECT_EQ(reason(diagonal_matrix<T>({1, nan, 3, 4}), {1, 1, 1, 1}), StopReason::not_finite);
    EXPECT_EQ(reason(diagonal_matrix<T>({1, 2, 3, 4}), {1, nan, 1, 1}), StopReason::not_finite);
    EXPECT_EQ(reason(diagonal_matrix<T>({1, 2, 3, 4}), {0, 0, 0, 0}), StopReason::converged);
}

TYPED_TEST(CudaCg, KeepsToItsBudgetWhateverTheLoopsStride) {
    using T = TypeParam;
    const auto a = stiefel::to_device(this->backend(), poisson2d<T>(this->maker, 400, 100));
    const auto sell = sell_from_csr(this->backend(), a, 32, 1);
    const HostVector<T> b = random_vector<T>(a.n_rows, 5);
    for (Size budget : {0, 1, 4, 5, 6, 7, 15, 16, 23, 61}) {
        const CgOptions options{.max_iterations = budget, .history = true};
        HostVector<T> x(a.n_rows, T{0});
        const SolveResult result = this->solve(a, b, x, options);
        EXPECT_EQ(result.reason, StopReason::max_iterations);
        EXPECT_EQ(result.iterations, budget);
        EXPECT_EQ(static_cast<Size>(result.history.size()), budget + 1);
        x = HostVector<T>(a.n_rows, T{0});
        EXPECT_EQ(this->solve(sell, b, x, options).iterations, budget);
    }
}

TYPED_TEST(CudaCg, TellsTheMonitorOfEveryIterationInOrder) {
    using T = TypeParam;
    for (Index n : {30, 300}) {
        const auto a = stiefel::to_device(this->backend(), poisson2d<T>(this->maker, n, n));
        const HostVector<T> b = random_vector<T>(a.n_rows, 6);
        HostVector<T> x(a.n_rows, T{0});
        Size expected = 0;
        double last = 0;
        const auto monitor = [&](const CgProgress& progress) {
            EXPECT_EQ(progress.iteration, expected++);
            last = progress.relative_residual;
            return true;
        };
        const SolveResult result = this->solve(a, b, x, {.rtol = this->rtol, .history = true, .monitor = monitor});
        EXPECT_EQ(result.reason, StopReason::converged);
        EXPECT_EQ(expected, result.iterations + 1);
        EXPECT_EQ(static_cast<Size>(result.history.size()), result.iterations + 1);
        EXPECT_EQ(result.history.back(), last);
        EXPECT_LE(last, this->rtol);
    }
}

TYPED_TEST(CudaCg, RunsLongerThanItsWindow) {
    using T = TypeParam;
    // Tiny systems that go on for more iterations than the ring holds: nothing is lost on the way.
    const auto a = stiefel::to_device(this->backend(), poisson1d<T>(this->maker, 3000));
    const HostVector<T> b = random_vector<T>(a.n_rows, 9);
    HostVector<T> x(a.n_rows, T{0});
    Size expected = 0;
    const auto monitor = [&](const CgProgress& progress) {
        if (progress.iteration != expected) return false;
        ++expected;
        return true;
    };
    const SolveResult result = this->solve(a, b, x, {.rtol = 1e-300, .max_iterations = 40000, .monitor = monitor});
    EXPECT_NE(result.reason, StopReason::interrupted);
    EXPECT_EQ(expected, result.iterations + 1);
}

TYPED_TEST(CudaCg, RestartsWhenTheRecurrenceHasDrifted) {
    using T = TypeParam;
    const HostCsr<T> host = poisson1d<T>(this->maker, 200);
    const HostVector<T> b = random_vector<T>(200, 8);
    const double huge = 0.01 / std::numeric_limits<T>::epsilon();
    HostVector<T> x(200);
    for (Index i = 0; i < 200; ++i) x[i] = static_cast<T>(i % 2 == 0 ? huge : -huge / 3);
    const double tolerance = std::is_same_v<T, double> ? 1e-8 : 1e-3;
    const SolveResult result = this->solve(stiefel::to_device(this->backend(), host), b, x, {.rtol = tolerance});
    EXPECT_EQ(result.reason, StopReason::converged);
    EXPECT_GE(result.restarts, 1);
    EXPECT_TRUE(true_relative_residual(host, b, x) <= 1.5 * tolerance);
}

TYPED_TEST(CudaCg, RepeatsBitForBit) {
    using T = TypeParam;
    for (Index n : {10, 30, 120}) {
        const auto csr = stiefel::to_device(this->backend(), stencil27<T>(this->maker, n, n, n));
        const auto sell = sell_from_csr(this->backend(), csr, 32, 1);
        const HostVector<T> b = random_vector<T>(csr.n_rows, 12);
        for (int format = 0; format < 2; ++format) {
            HostVector<T> first(csr.n_rows, T{0});
            const CgOptions options{.rtol = this->rtol};
            if (format == 0) this->solve(csr, b, first, options);
            if (format == 1) this->solve(sell, b, first, options);
            for (int run = 0; run < 5; ++run) {
                HostVector<T> x(csr.n_rows, T{0});
                if (format == 0) this->solve(csr, b, x, options);
                if (format == 1) this->solve(sell, b, x, options);
                EXPECT_TRUE(bit_equal(x, first)) << n;
            }
        }
    }
}

TYPED_TEST(CudaCg, JacobiNamesTheRowWhoseDiagonalIsNotPositive) {
    using T = TypeParam;
    for (const double bad : {0.0, -3.0, std::nan("")}) {
        const auto a = stiefel::to_device(this->backend(), diagonal_matrix<T>({1, 2, bad, 4}));
        try {
            make_jacobi(this->backend(), a);
            FAIL() << bad;
        } catch (const InvalidArgument& error) {
            EXPECT_NE(std::string(error.what()).find("(3, 3)"), std::string::npos) << error.what();
        }
    }
}

}  // namespace
}  // namespace stiefel::test
