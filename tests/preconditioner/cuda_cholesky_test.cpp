#include "stiefel/preconditioner/cholesky/cholesky.hpp"
#include "stiefel/problems/elasticity.hpp"
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
#include <type_traits>

// The complete factor that the host's cores compute and apply for a device. That it is A's inverse column by column,
// symmetric, positive and to the same bits is tested with all preconditioners that are listed.

namespace stiefel::test {
namespace {

template <class T>
class CudaCholesky : public OnCuda {
protected:
    SolveResult solved(const HostCsr<T>& a, const Cholesky<Cuda, T>& m, double rtol) {
        const auto there = stiefel::to_device(this->backend(), a);
        const HostVector<T> b = random_vector<T>(a.n_rows, 3);
        const auto right = this->to_device(b);
        auto x = this->to_device(HostVector<T>(a.n_rows, T{0}));
        const SolveResult result = cg(this->backend(), there, m, right, x, {.rtol = rtol});
        EXPECT_EQ(result.reason, StopReason::converged);
        EXPECT_LE(true_relative_residual(a, b, this->to_host(x)), 1.01 * rtol);
        return result;
    }

    OpenMP host_{2};
};
TYPED_TEST_SUITE(CudaCholesky, EveryType);

TYPED_TEST(CudaCholesky, LeavesAnIterationOrTwo) {
    using T = TypeParam;
    const double rtol = std::is_same_v<T, double> ? 1e-10 : 1e-5;
    const auto check = [&](const HostCsr<T>& a) {
        const Cholesky<Cuda, T> m(this->backend(), stiefel::to_device(this->backend(), a));
        EXPECT_LE(this->solved(a, m, rtol).iterations, 3);
        const auto on_host = Cholesky<OpenMP, T>(this->host_, a).details();
        const auto details = m.details();
        EXPECT_TRUE(m.works_on_host());
        EXPECT_EQ(details.factorisation->nonzeros, on_host.factorisation->nonzeros);
        EXPECT_EQ(details.factorisation->level_sets, 0) << "nothing goes by levels";
        EXPECT_EQ(details.factorisation->shift, 0);
        EXPECT_EQ(details.factorisation->flops, on_host.factorisation->flops);
        EXPECT_EQ(details.bytes, m.bytes());
        EXPECT_GT(details.bytes, details.factorisation->nonzeros * static_cast<Size>(sizeof(T)));
    };
    check(poisson2d<T>(this->host_, 60, 50));
    check(jump_diffusion3d<T>(this->host_, 12, 11, 13, {.contrast = 100}));
    check(elasticity3d<T>(this->host_, 5, 4, 4));
}

TYPED_TEST(CudaCholesky, SolvesBlocksWithALentAnalysis) {
    using T = TypeParam;
    Cuda& cuda = this->backend();
    constexpr Index k = 5;
    const auto a = poisson3d<T>(this->host_, 9, 8, 11);
    const auto there = stiefel::to_device(cuda, a);
    const cholesky::Analysis analysis(cholesky::compressed_graph(a));
    const Cholesky<Cuda, T> m(cuda, there, &analysis, {}, k);
    EXPECT_EQ(std::string(m.details().setup.front().name), "analyse") << "nothing was compressed or ordered again";
    auto columns = make_multivector<T>(cuda, a.n_rows, k), solutions = make_multivector<T>(cuda, a.n_rows, k);
    upload(cuda, random_vector<T>(Size{a.n_rows} * k, 7), columns.values());
    upload(cuda, HostVector<T>(Size{a.n_rows} * k, T{0}), solutions.values());
    const auto result = block_cg(cuda, there, m, columns, solutions, {.rtol = 1e-5});
    EXPECT_EQ(result.reason, StopReason::converged);
    EXPECT_LE(result.iterations, 3);
}

/// A is indefinite: as on a host a share of the diagonal is added.
TYPED_TEST(CudaCholesky, ShiftsAsTheHostDoes) {
    using T = TypeParam;
    auto a = poisson2d<T>(this->host_, 20, 20);
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            T sum = 0;
            for (Size e = row_ptr[i]; e < row_ptr[i + 1]; ++e) sum -= a.col_idx[e] == i ? 0 : a.values[e];
            for (Size e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
                if (a.col_idx[e] == i) a.values[e] = T{0.999f} * sum;
            }
        }
    });
    const double expected = Cholesky<OpenMP, T>(this->host_, a).details().factorisation->shift;
    EXPECT_GT(expected, 0);
    const Cholesky<Cuda, T> m(this->backend(), stiefel::to_device(this->backend(), a));
    EXPECT_EQ(m.details().factorisation->shift, expected);
}

TYPED_TEST(CudaCholesky, KnowsNoRowsAndOneAndRefusesByRow) {
    using T = TypeParam;
    Cuda& cuda = this->backend();
    const Cholesky<Cuda, T> empty(cuda, stiefel::to_device(cuda, csr_from_rows<T>(0, {})));
    EXPECT_EQ(empty.details().factorisation->nonzeros, 0);
    EXPECT_LE(this->solved(csr_from_rows<T>(1, {{{0, 4}}}),
                           Cholesky<Cuda, T>(cuda, stiefel::to_device(cuda, csr_from_rows<T>(1, {{{0, 4}}}))), 1e-5)
                  .iterations,
              2);
    for (const T bad : {T{0}, T{-1}, std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()}) {
        const auto a = csr_from_rows<T>(3, {{{0, 2}, {2, 1}}, {{1, bad}}, {{0, 1}, {2, 2}}});
        const std::string refused = refusal([&] { Cholesky<Cuda, T>(cuda, stiefel::to_device(cuda, a)); });
        EXPECT_NE(refused.find("(2, 2) is"), std::string::npos) << bad;
    }
}

}  // namespace
}  // namespace stiefel::test
