#include "stiefel/solver/cg.hpp"

#include <gtest/gtest.h>

namespace own {

/// The 1-D Laplacian without a matrix: what a user of the library would bring.
struct Laplacian1d {
    stiefel::Index n;
};

template <class B>
void spmv(B&, const Laplacian1d& a, const stiefel::HostVector<double>& x, stiefel::HostVector<double>& y, double alpha,
          double beta) {
    for (stiefel::Index i = 0; i < a.n; ++i) {
        const double left = i > 0 ? x[i - 1] : 0;
        const double right = i + 1 < a.n ? x[i + 1] : 0;
        y[i] = alpha * (2 * x[i] - left - right) + (beta == 0 ? 0 : beta * y[i]);
    }
}

}  // namespace own

namespace stiefel {
namespace {

TEST(OwnOperator, IsFoundByArgumentDependentLookup) {
    // -u'' = 2 on a grid of n inner points, h = 1: u_i = (i + 1)(n - i), exactly representable.
    constexpr Index n = 50;
    const own::Laplacian1d a{n};
    const HostVector<double> b(n, 2.0);
    const auto solves_on = [&](auto backend) {
        HostVector<double> x(n, 0.0);
        const SolveResult result = cg(backend, a, b, x);
        EXPECT_EQ(result.reason, StopReason::converged);
        EXPECT_LE(result.iterations, n);
        for (Index i = 0; i < n; ++i) EXPECT_NEAR(x[i], (i + 1.0) * (n - i), 1e-5) << i;
    };
    solves_on(Serial());
    solves_on(OpenMP());
}

}  // namespace
}  // namespace stiefel
