#include "stiefel/preconditioner/cholesky/incomplete_cholesky.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/block_cg.hpp"
#include "stiefel/solver/cg.hpp"

#include "support/backends.hpp"
#include "support/csr_checks.hpp"
#include "support/cuda.hpp"
#include "support/matrices.hpp"
#include "support/true_residual.hpp"

#include <limits>
#include <string>

namespace stiefel::test {
namespace {

template <class T>
class CudaIncompleteCholesky : public OnCuda {
protected:
    OpenMP host_{2};
};
TYPED_TEST_SUITE(CudaIncompleteCholesky, EveryType);

TYPED_TEST(CudaIncompleteCholesky, HasTheHostsFactor) {
    using T = TypeParam;
    const auto a = jump_diffusion3d<T>(this->host_, 12, 11, 10, {.contrast = 100});
    const auto there = stiefel::to_device(this->backend(), a);
    using Options = cholesky::IncompleteOptions;
    for (const Options& options : {Options{}, Options{.threshold = 0.01}, Options{.level = 2}}) {
        const IncompleteCholesky<OpenMP, T> on_host(this->host_, a, options);
        const IncompleteCholesky<Cuda, T> m(this->backend(), there, options);
        const auto expected = *on_host.details().factorisation, found = *m.details().factorisation;
        EXPECT_EQ(found.nonzeros, expected.nonzeros);
        EXPECT_EQ(found.level_sets, expected.level_sets);
        EXPECT_EQ(found.shift, expected.shift);
        EXPECT_EQ(found.ordering, expected.ordering);
        EXPECT_EQ(m.details().bytes, m.bytes());
        EXPECT_GT(m.bytes(), 2 * found.nonzeros * static_cast<Size>(sizeof(T) + sizeof(Index)));
        EXPECT_EQ(m.work(3).flops, on_host.work(3).flops);
    }
}

/// As many iterations as on the host, vectors and blocks.
TYPED_TEST(CudaIncompleteCholesky, SolvesAsTheHostDoes) {
    using T = TypeParam;
    Cuda& cuda = this->backend();
    const double rtol = 1e-5;
    const auto check = [&](const HostCsr<T>& a) {
        const auto there = stiefel::to_device(cuda, a);
        const HostVector<T> b = random_vector<T>(a.n_rows, 3);
        HostVector<T> x(a.n_rows, T{0});
        const SolveResult on_host =
            cg(this->host_, a, IncompleteCholesky<OpenMP, T>(this->host_, a), b, x, {.rtol = rtol});
        const auto right = this->to_device(b);
        auto solution = this->to_device(HostVector<T>(a.n_rows, T{0}));
        const SolveResult result =
            cg(cuda, there, IncompleteCholesky<Cuda, T>(cuda, there), right, solution, {.rtol = rtol});
        EXPECT_EQ(result.reason, StopReason::converged);
        EXPECT_LE(true_relative_residual(a, b, this->to_host(solution)), 1.01 * rtol);
        EXPECT_NEAR(static_cast<double>(result.iterations), static_cast<double>(on_host.iterations), 3);

        constexpr Index k = 5;
        auto columns = make_multivector<T>(cuda, a.n_rows, k), solutions = make_multivector<T>(cuda, a.n_rows, k);
        upload(cuda, random_vector<T>(Size{a.n_rows} * k, 7), columns.values());
        upload(cuda, HostVector<T>(Size{a.n_rows} * k, T{0}), solutions.values());
        const auto of_block =
            block_cg(cuda, there, IncompleteCholesky<Cuda, T>(cuda, there, {}, k), columns, solutions, {.rtol = rtol});
        EXPECT_LE(of_block.iterations, result.iterations + 3);
    };
    check(jump_diffusion3d<T>(this->host_, 20, 20, 20, {.contrast = 1e3}));
    check(poisson2d<T>(this->host_, 300, 20));
}

TYPED_TEST(CudaIncompleteCholesky, RefusesByRow) {
    using T = TypeParam;
    const auto refused = [&](T diagonal, const cholesky::IncompleteOptions& options = {}) {
        const auto a = csr_from_rows<T>(3, {{{0, 2}, {2, 1}}, {{1, diagonal}}, {{0, 1}, {2, 2}}});
        return refusal(
            [&] { IncompleteCholesky<Cuda, T>(this->backend(), stiefel::to_device(this->backend(), a), options); });
    };
    EXPECT_EQ(refused(1), "");
    for (const T bad : {T{0}, T{-1}, std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()}) {
        EXPECT_NE(refused(bad).find("(2, 2) is"), std::string::npos) << bad;
    }
    EXPECT_NE(refused(1, {.threshold = 2}).find("threshold"), std::string::npos);
}

}  // namespace
}  // namespace stiefel::test
