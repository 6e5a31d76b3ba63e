#include "stiefel/problems/problem_list.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/spmv.hpp"
#include "support/true_residual.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace stiefel {
namespace {

/// How many iterations a system took when it was recorded (rtol 1e-8, right-hand side of ones, guess 0). A change of
/// the method that costs iterations shows here before any user sees it.
struct Recorded {
    std::string problem;
    std::vector<std::string> sizes;
    Size plain;
    Size jacobi;
};

std::ostream& operator<<(std::ostream& out, const Recorded& r) {
    out << r.problem;
    for (const std::string& size : r.sizes) out << ' ' << size;
    return out;
}

class IterationCounts : public ::testing::TestWithParam<Recorded> {};

TEST_P(IterationCounts, StayAsRecorded) {
    const Recorded& recorded = GetParam();
    OpenMP backend;
    const Problem& problem = find_problem(recorded.problem);
    ProblemArguments arguments(problem);
    arguments.set_sizes(recorded.sizes);
    const auto a = problem.make<double>(backend, arguments);
    const HostVector<double> b(a.n_rows, 1.0);
    // Rounding moves the count, the more of them the further: instruction sets differ in how they contract and sum.
    const auto near = [](Size count, Size expected) {
        EXPECT_NEAR(static_cast<double>(count), static_cast<double>(expected),
                    1 + 0.03 * static_cast<double>(expected));
    };
    HostVector<double> x(a.n_rows, 0.0);
    const SolveResult plain = cg(backend, a, b, x);
    EXPECT_EQ(plain.reason, StopReason::converged);
    EXPECT_TRUE(true_relative_residual(a, b, x) <= 1.01e-8);
    near(plain.iterations, recorded.plain);

    HostVector<double> y(a.n_rows, 0.0);
    const SolveResult jacobi = cg(backend, a, make_jacobi(backend, a), b, y);
    EXPECT_EQ(jacobi.reason, StopReason::converged);
    EXPECT_TRUE(true_relative_residual(a, b, y) <= 1.01e-8);
    near(jacobi.iterations, recorded.jacobi);
}

INSTANTIATE_TEST_SUITE_P(Generated, IterationCounts,
                         ::testing::Values(Recorded{"poisson1d", {"1000"}, 500, 500},
                                           Recorded{"poisson2d", {"100", "100"}, 187, 187},
                                           Recorded{"poisson3d", {"40", "40", "40"}, 99, 99},
                                           Recorded{"anisotropic2d", {"100", "100"}, 526, 526},
                                           Recorded{"stencil27", {"30", "30", "30"}, 44, 44},
                                           Recorded{"jump_diffusion3d", {"20", "20", "20"}, 1360, 115},
                                           Recorded{"elasticity3d", {"12", "10", "8"}, 187, 156},
                                           Recorded{"poisson3d", {"64", "16", "8"}, 65, 65},
                                           Recorded{"graph_laplacian", {"20000"}, 1, 27},
                                           Recorded{"random_spd", {"20000"}, 172, 23}));

}  // namespace
}  // namespace stiefel
