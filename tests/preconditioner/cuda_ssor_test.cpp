#include "stiefel/preconditioner/ssor/ssor.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
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
class CudaSsor : public OnCuda {
protected:
    OpenMP host_{2};
};
TYPED_TEST_SUITE(CudaSsor, EveryType);

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
}

}  // namespace
}  // namespace stiefel::test
