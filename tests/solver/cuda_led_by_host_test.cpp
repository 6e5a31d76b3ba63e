#include "stiefel/preconditioner/any_preconditioner.hpp"
#include "stiefel/preconditioner/applied_by_host.hpp"
#include "stiefel/preconditioner/jacobi.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/block_cg.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/solver/lobpcg.hpp"

#include "support/backends.hpp"
#include "support/cuda.hpp"
#include "support/matrices.hpp"
#include "support/true_residual.hpp"

#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

// Loops of a device whose preconditioner the host applies.

namespace stiefel::test {
namespace {

/// Jacobi's, by the host, which counts how often it was asked.
template <class T>
struct CountedJacobi {
    std::vector<T> inverse;
    std::shared_ptr<int> calls = std::make_shared<int>(0);

    explicit CountedJacobi(const HostCsr<T>& a) : inverse(static_cast<std::size_t>(a.n_rows)) {
        a.row_ptr.visit([&](const auto* row_ptr) {
            for (Index i = 0; i < a.n_rows; ++i) {
                for (auto k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                    if (a.col_idx[k] == i) inverse[static_cast<std::size_t>(i)] = 1 / a.values[k];
                }
            }
        });
    }

    friend void precondition(OpenMP&, const CountedJacobi& m, HostMatrix<const T> r, HostMatrix<T> z) {
        ++*m.calls;
        for (Index i = 0; i < r.n_rows; ++i) {
            for (Index j = 0; j < r.n_cols; ++j) {
                z.data[i * z.ld + j] = m.inverse[static_cast<std::size_t>(i)] * r.data[i * r.ld + j];
            }
        }
    }
};

template <class T>
class CudaLedByHost : public OnCuda {
protected:
    using M = AppliedByHost<T, CountedJacobi<T>>;
    static constexpr double rtol = std::is_same_v<T, double> ? 1e-10 : 1e-5;

    CudaLedByHost() : a_(jump_diffusion3d<T>(host_, 12, 11, 10, {.contrast = 100})), jacobi_(a_) {}

    SolveResult solved(const CgOptions& options, HostVector<T>& x) {
        const auto there = stiefel::to_device(this->backend(), a_);
        const auto right = this->to_device(b_());
        auto solution = this->to_device(HostVector<T>(a_.n_rows, T{0}));
        const AnyPreconditioner<Cuda, T> m(M(jacobi_, 1));
        EXPECT_TRUE(m.works_on_host());
        SolveResult result = cg(this->backend(), there, m, right, solution, options);
        x = this->to_host(solution);
        return result;
    }
    HostVector<T> b_() const { return random_vector<T>(a_.n_rows, 3); }

    OpenMP host_{2};
    HostCsr<T> a_;
    CountedJacobi<T> jacobi_;
};
TYPED_TEST_SUITE(CudaLedByHost, EveryType);

TYPED_TEST(CudaLedByHost, TakesTheIterationsThatTheDeviceAloneTakes) {
    using T = TypeParam;
    HostVector<T> x;
    const SolveResult led = this->solved({.rtol = this->rtol, .history = true}, x);
    EXPECT_EQ(led.reason, StopReason::converged);
    EXPECT_LE(true_relative_residual(this->a_, this->b_(), x), 1.01 * this->rtol);
    EXPECT_EQ(std::ssize(led.history), led.iterations + 1);
    EXPECT_LE(*this->jacobi_.calls, led.iterations + 2 * (led.restarts + 1) + 1) << "once an iteration, and at first";

    Cuda& cuda = this->backend();
    const auto there = stiefel::to_device(cuda, this->a_);
    const auto right = this->to_device(this->b_());
    auto solution = this->to_device(HostVector<T>(this->a_.n_rows, T{0}));
    const SolveResult alone = cg(cuda, there, make_jacobi(cuda, there), right, solution, {.rtol = this->rtol});
    EXPECT_NEAR(static_cast<double>(led.iterations), static_cast<double>(alone.iterations), 2);

    HostVector<T> again;
    EXPECT_EQ(this->solved({.rtol = this->rtol}, again).iterations, led.iterations);
    for (Index i = 0; i < this->a_.n_rows; ++i) ASSERT_EQ(x[i], again[i]) << "to the same bits";
}

TYPED_TEST(CudaLedByHost, EndsAfterTheVeryIterationThatItIsToldTo) {
    HostVector<TypeParam> x;
    const auto monitor = [](const CgProgress& progress) { return progress.iteration < 7; };
    const SolveResult result = this->solved({.rtol = this->rtol, .monitor = monitor}, x);
    EXPECT_EQ(result.reason, StopReason::interrupted);
    EXPECT_EQ(result.iterations, 7);
    EXPECT_NEAR(static_cast<double>(true_relative_residual(this->a_, this->b_(), x)), result.relative_residual,
                1e-3 * result.relative_residual);
    EXPECT_EQ(this->solved({.rtol = this->rtol, .max_iterations = 5}, x).reason, StopReason::max_iterations);
}

/// Columns that lie among others, as those of solvers that have ended some.
TYPED_TEST(CudaLedByHost, AppliesToPanelsWithGaps) {
    using T = TypeParam;
    Cuda& cuda = this->backend();
    const Index n = this->a_.n_rows, ld = 5, k = 3;
    const HostVector<T> r = random_vector<T>(Size{n} * ld, 9);
    const auto from = this->to_device(r);
    auto to = this->to_device(r);
    const AppliedByHost<T, CountedJacobi<T>> m(this->jacobi_, 1);
    precondition(cuda, m, MatrixOf<Cuda, const T>{from.data() + 1, n, k, ld},
                 MatrixOf<Cuda, T>{to.data() + 1, n, k, ld});
    const HostVector<T> z = this->to_host(to);
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < ld; ++j) {
            const Size at = i * Size{ld} + j;
            const bool is_inside = j >= 1 && j < 1 + k;
            const T wanted = is_inside ? this->jacobi_.inverse[static_cast<std::size_t>(i)] * r[at] : r[at];
            ASSERT_EQ(z[at], wanted) << i << " " << j;
        }
    }
}

TYPED_TEST(CudaLedByHost, SolvesBlocksAndFindsPairs) {
    using T = TypeParam;
    Cuda& cuda = this->backend();
    constexpr Index k = 4;
    const auto there = stiefel::to_device(cuda, this->a_);
    const AppliedByHost<T, CountedJacobi<T>> m(this->jacobi_, 1);
    auto columns = make_multivector<T>(cuda, this->a_.n_rows, k),
         solutions = make_multivector<T>(cuda, this->a_.n_rows, k);
    upload(cuda, random_vector<T>(Size{this->a_.n_rows} * k, 7), columns.values());
    upload(cuda, HostVector<T>(Size{this->a_.n_rows} * k, T{0}), solutions.values());
    const auto led = block_cg(cuda, there, m, columns, solutions, {.rtol = this->rtol});
    EXPECT_EQ(led.reason, StopReason::converged);
    upload(cuda, HostVector<T>(Size{this->a_.n_rows} * k, T{0}), solutions.values());
    const auto alone = block_cg(cuda, there, make_jacobi(cuda, there), columns, solutions, {.rtol = this->rtol});
    EXPECT_NEAR(static_cast<double>(led.iterations), static_cast<double>(alone.iterations), 2);

    upload(cuda, random_vector<T>(Size{this->a_.n_rows} * k, 8), solutions.values());
    const EigenResult pairs = lobpcg(cuda, there, m, solutions, {.rtol = 1e-4});
    EXPECT_EQ(pairs.reason, StopReason::converged);
}

}  // namespace
}  // namespace stiefel::test
