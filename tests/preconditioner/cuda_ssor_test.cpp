#include "stiefel/preconditioner/ssor/cuda/triangles.hpp"
#include "stiefel/preconditioner/ssor/ssor.hpp"
#include "stiefel/preconditioner/ssor/triangles.hpp"
#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/random_spd.hpp"
#include "stiefel/solver/cg.hpp"

#include "support/backends.hpp"
#include "support/csr_checks.hpp"
#include "support/cuda.hpp"
#include "support/matrices.hpp"
#include "support/true_residual.hpp"

#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace stiefel::test {
namespace {

template <class T>
class CudaSsor : public OnCuda {
protected:
    OpenMP host_{2};
};
TYPED_TEST_SUITE(CudaSsor, EveryType);

/// Colours and triangles, to the bit: of grids, of more colours than are looked at together, of rows that are coupled
/// to none, of none.
TYPED_TEST(CudaSsor, HasTheHostsTriangles) {
    using T = TypeParam;
    Cuda& cuda = this->backend();
    const auto check = [&](const HostCsr<T>& a) {
        const ssor::Options options{.omega = 1.3};
        const auto there = stiefel::to_device(cuda, a);
        const ssor::Colouring expected = ssor::greedy_colouring(a);
        const ssor::DeviceColouring colouring = ssor::greedy_colouring(cuda, there);
        const HostVector<Index> colour = this->to_host(colouring.colour);
        for (Index i = 0; i < a.n_rows; ++i) ASSERT_EQ(colour[i], expected.colour[i]) << i;
        const auto on_host = ssor::relaxation_triangles(a, expected, options, 1);
        const auto found = ssor::relaxation_triangles(cuda, there, colouring, options);
        EXPECT_EQ(colouring.n_colours, expected.n_colours);
        EXPECT_FALSE(found.is_bad);
        const HostVector<T> inverse = this->to_host(found.inverse);
        for (Index i = 0; i < a.n_rows; ++i) ASSERT_EQ(inverse[i], on_host.inverse[i]) << i;
        const auto expect_same = [&](const DeviceCsr<T>& own, const triangular::LevelTriangle<T>& of_host) {
            const HostCsr<T> one = stiefel::to_host(cuda, own);
            const HostCsr<T> other = triangular::scaled_rows(of_host, on_host.inverse);
            ASSERT_EQ(one.nnz(), other.nnz());
            one.row_ptr.visit([&](const auto* of_one) {
                other.row_ptr.visit([&](const auto* of_other) {
                    for (Index i = 0; i <= a.n_rows; ++i) ASSERT_EQ(of_one[i], of_other[i]);
                });
            });
            for (Size e = 0; e < one.nnz(); ++e) {
                ASSERT_EQ(one.col_idx[e], other.col_idx[e]);
                ASSERT_EQ(one.values[e], other.values[e]);
            }
        };
        expect_same(found.lower, on_host.lower);
        expect_same(found.upper, on_host.upper);
    };
    check(jump_diffusion3d<T>(this->host_, 20, 20, 20, {.contrast = 1e3}));
    check(poisson2d<T>(this->host_, 100, 60));
    check(poisson1d<T>(this->host_, 9000));  // a row a turn: the host's
    check(elasticity3d<T>(this->host_, 5, 4, 3));
    check(random_spd<T>(this->host_, 1400, {.degree = 9, .shift = 0.1, .seed = 5}));
    constexpr Index n = 150;  // all coupled to each other: as many colours
    std::vector<std::vector<std::pair<Index, T>>> full(n);
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j)
            full[static_cast<std::size_t>(i)].emplace_back(j, static_cast<T>(i == j ? 400 : 1 + (i + j) % 3));
    }
    check(csr_from_rows<T>(n, full));
    check(csr_from_rows<T>(3, {{{0, 2}}, {{1, 3}}, {{2, 5}}}));
    // Zeros that are stored on one side of the diagonal.
    check(csr_from_rows<T>(4, {{{0, 2}, {3, 0}}, {{1, 2}, {2, 1}}, {{1, 1}, {2, 2}, {3, 1}}, {{2, 1}, {3, 2}}}));
    check(csr_from_rows<T>(3, {{{0, 2}}, {{0, 0}, {1, 3}, {2, 1}}, {{1, 1}, {2, 5}}}));
    check(csr_from_rows<T>(0, {}));
}

/// As many iterations as on the host, with the same triangles.
TYPED_TEST(CudaSsor, SolvesAsTheHostDoes) {
    using T = TypeParam;
    Cuda& cuda = this->backend();
    const double rtol = 1e-5;
    const auto check = [&](const HostCsr<T>& a, double omega) {
        const auto there = stiefel::to_device(cuda, a);
        const HostVector<T> b = random_vector<T>(a.n_rows, 3);
        HostVector<T> x(a.n_rows, T{0});
        const Ssor<OpenMP, T> on_host(this->host_, a, {.omega = omega});
        const SolveResult expected = cg(this->host_, a, on_host, b, x, {.rtol = rtol});
        const Ssor<Cuda, T> m(cuda, there, {.omega = omega});
        const auto right = this->to_device(b);
        auto solution = this->to_device(HostVector<T>(a.n_rows, T{0}));
        const SolveResult result = cg(cuda, there, m, right, solution, {.rtol = rtol});
        EXPECT_EQ(result.reason, StopReason::converged);
        EXPECT_LE(true_relative_residual(a, b, this->to_host(solution)), 1.01 * rtol);
        EXPECT_NEAR(static_cast<double>(result.iterations), static_cast<double>(expected.iterations), 3);
        EXPECT_EQ(m.details().factorisation->nonzeros, on_host.details().factorisation->nonzeros);
        EXPECT_EQ(m.details().factorisation->level_sets, on_host.details().factorisation->level_sets);
        EXPECT_EQ(m.details().bytes, m.bytes());
        EXPECT_EQ(m.work(3).flops, on_host.work(3).flops);
    };
    check(jump_diffusion3d<T>(this->host_, 20, 20, 20, {.contrast = 1e3}), 1);
    check(poisson2d<T>(this->host_, 100, 60), 1.5);
}

TYPED_TEST(CudaSsor, RefusesByRow) {
    using T = TypeParam;
    const auto refused = [&](T diagonal, double omega) {
        const auto a = csr_from_rows<T>(3, {{{0, 2}, {2, 1}}, {{1, diagonal}}, {{0, 1}, {2, 2}}});
        return refusal(
            [&] { Ssor<Cuda, T>(this->backend(), stiefel::to_device(this->backend(), a), {.omega = omega}); });
    };
    EXPECT_EQ(refused(1, 1), "");
    for (const T bad : {T{0}, T{-1}, std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()}) {
        EXPECT_NE(refused(bad, 1).find("(2, 2) is"), std::string::npos) << bad;
    }
    EXPECT_NE(refused(1, 2).find("omega"), std::string::npos);
    for (const T bad : {std::numeric_limits<T>::quiet_NaN(), -std::numeric_limits<T>::infinity()}) {
        const auto a = csr_from_rows<T>(3, {{{0, 2}, {2, bad}}, {{1, 2}}, {{0, bad}, {2, 2}}});
        const std::string of_host = refusal([&] { Ssor<OpenMP, T>(this->host_, a); });
        EXPECT_NE(of_host, "");
        EXPECT_EQ(refusal([&] { Ssor<Cuda, T>(this->backend(), stiefel::to_device(this->backend(), a)); }), of_host);
    }
}

}  // namespace
}  // namespace stiefel::test
