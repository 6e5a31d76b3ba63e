#include "stiefel/preconditioner/amg/aggregates.hpp"
#include "stiefel/preconditioner/amg/amg.hpp"
#include "stiefel/preconditioner/amg/coarse_inverse.hpp"
#include "stiefel/preconditioner/amg/cuda/coarse_inverse.hpp"
#include "stiefel/preconditioner/amg/cuda/prolongation.hpp"
#include "stiefel/preconditioner/amg/cuda/spectral_radius.hpp"
#include "stiefel/preconditioner/amg/prolongation.hpp"
#include "stiefel/preconditioner/amg/spectral_radius.hpp"
#include "stiefel/problems/anisotropic.hpp"
#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/stencil27.hpp"
#include "stiefel/solver/cg.hpp"

#include "support/coupled_matrices.hpp"
#include "support/csr_checks.hpp"
#include "support/cuda.hpp"
#include "support/laplacians.hpp"
#include "support/matrices.hpp"
#include "support/true_residual.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

// The setup of multigrid on a device: its steps against the host's, and what comes of them.

namespace stiefel::test {
namespace {

class CudaAmg : public OnCuda {
protected:
    /// All that leads to P.
    struct Steps {
        DeviceCsr<double> a;
        amg::DeviceMatrix found;
        amg::DeviceStrength strength;
        amg::DeviceAggregates aggregates;
        amg::LevelFacts facts;
    };
    Steps steps(const HostCsr<double>& a) {
        Cuda& cuda = backend();
        Steps s{.a = stiefel::to_device(cuda, a), .found = {}, .strength = {}, .aggregates = {}, .facts = {}};
        s.found = amg::look_at_diagonal(cuda, s.a);
        amg::look_at_rows(cuda, s.a, s.found);
        s.strength = amg::find_strong(cuda, s.a, s.found);
        s.aggregates = amg::parallel_aggregates(cuda, s.a, s.strength, s.found, s.facts);
        return s;
    }

    struct Outcome {
        SolveResult result;
        HostVector<double> x;
    };
    Outcome solve(const HostCsr<double>& a, const HostVector<double>& b, double rtol = 1e-8,
                  const amg::SetupOptions& options = {}) {
        Cuda& cuda = backend();
        const auto there = stiefel::to_device(cuda, a);
        const Amg<Cuda, double> m(cuda, there, options);
        const auto right = to_device(b);
        auto x = to_device(HostVector<double>(a.n_rows, 0.0));
        const SolveResult result = cg(cuda, there, m, right, x, {.rtol = rtol});
        return {result, to_host(x)};
    }

    OpenMP host_{2};
};

/// Where there is a level to smooth, by steps that go on with a row, and its rows are short.
TEST_F(CudaAmg, GivesTheInnerProductInPassing) {
    const auto gives = [&](const HostCsr<double>& a, const amg::SetupOptions& options = {}) {
        return Amg<Cuda, double>(backend(), stiefel::to_device(backend(), a), options).gives_dot();
    };
    EXPECT_TRUE(gives(poisson3d<double>(host_, 10, 10, 10)));
    EXPECT_FALSE(gives(poisson3d<double>(host_, 4, 5, 6))) << "it is inverted";
    EXPECT_FALSE(gives(elasticity3d<double>(host_, 12, 12, 12)));
    EXPECT_FALSE(gives(poisson3d<double>(host_, 24, 24, 24), {.smoother = "l1-jacobi"}));
    for (const auto& a :
         {poisson3d<double>(host_, 24, 25, 26), jump_diffusion3d<double>(host_, 24, 24, 24, {.contrast = 1e4}),
          poisson3d<double>(host_, 41, 43, 39)}) {
        for (const char* const cycle : {"v", "w", "k"}) {
            SCOPED_TRACE(std::to_string(a.n_rows) + " " + cycle);
            const Amg<Cuda, double> m(backend(), stiefel::to_device(backend(), a), {.cycle = cycle});
            ASSERT_TRUE(m.gives_dot());
            const HostVector<double> poison(a.n_rows, std::numeric_limits<double>::quiet_NaN());
            const HostVector<double> r = random_vector<double>(a.n_rows, 3);
            const auto there = to_device(r);
            auto z = to_device(poison), plain = to_device(poison);
            auto dot = to_device(HostVector<double>(1, poison[0]));
            precondition_dot(backend(), m, there, z, dot.data());
            precondition_vector(backend(), m, there, plain);
            const HostVector<double> found = to_host(z), expected = to_host(plain);
            long double exact = 0, absolutes = 0, largest = 0;
            for (const double value : expected) largest = std::max(largest, std::abs(static_cast<long double>(value)));
            for (Size i = 0; i < a.n_rows; ++i) {
                const double tolerance = 100 * std::numeric_limits<float>::epsilon();
                ASSERT_LE(std::abs(found[i] - expected[i]), tolerance * largest) << i;
                exact += static_cast<long double>(r[i]) * found[i];
                absolutes += std::abs(static_cast<long double>(r[i]) * found[i]);
            }
            ASSERT_LE(std::abs(to_host(dot)[0] - exact),
                      (a.n_rows + 2) * std::numeric_limits<double>::epsilon() * absolutes);
        }
    }
}

TEST_F(CudaAmg, CouplingsAreStrongWhereTheHostSaysSo) {
    for (const auto& a : coupled_matrices(host_)) {
        const amg::Strength expected(host_, a);
        const Steps s = steps(a);
        const HostVector<Index> columns = to_host(s.strength.columns);
        for (Size k = 0; k < a.nnz(); ++k) {
            ASSERT_EQ(columns[k], expected[k] ? a.col_idx[k] : ~a.col_idx[k]) << k << " of " << a.n_rows;
        }
    }
}

/// Every node is in one aggregate, none is empty, and all of one hang together by strong couplings.
TEST_F(CudaAmg, AggregatesHoldEveryNodeOnce) {
    for (const auto& a : coupled_matrices(host_)) {
        const Steps s = steps(a);
        const HostVector<Index> of_node = to_host(s.aggregates.of_node);
        const HostVector<Index> columns = to_host(s.strength.columns);
        std::vector<Index> sizes(static_cast<std::size_t>(s.aggregates.count), 0);
        for (const Index aggregate : of_node.span()) {
            ASSERT_TRUE(aggregate >= 0 && aggregate < s.aggregates.count);
            ++sizes[static_cast<std::size_t>(aggregate)];
        }
        EXPECT_EQ(std::count(sizes.begin(), sizes.end(), 0), 0);
        a.row_ptr.visit([&](const auto* row_ptr) {
            for (Index i = 0; i < a.n_rows; ++i) {
                bool is_alone = true, meets_own = false;
                for (auto k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                    if (columns[k] < 0) continue;
                    is_alone = false;
                    meets_own |= of_node[columns[k]] == of_node[i];
                }
                ASSERT_TRUE(meets_own || is_alone) << i << " of " << a.n_rows;
            }
        });
    }
}

TEST_F(CudaAmg, ProlongationIsThatOfTheHost) {
    for (const auto& a : coupled_matrices(host_)) {
        Steps s = steps(a);
        const auto p = stiefel::to_host(
            backend(), amg::smoothed_prolongation(backend(), s.a, std::move(s.strength), s.found, s.aggregates));
        const amg::Aggregates same{.of_node = to_host(s.aggregates.of_node), .count = s.aggregates.count};
        const auto expected = amg::smoothed_prolongation(host_, a, amg::Strength(host_, a), same);
        ASSERT_TRUE(well_formed(p));
        ASSERT_EQ(p.nnz(), expected.nnz());
        ASSERT_TRUE(std::ranges::equal(p.col_idx, expected.col_idx));
        for (Size k = 0; k < p.nnz(); ++k) ASSERT_NEAR(p.values[k], expected.values[k], 1e-13);
    }
}

TEST_F(CudaAmg, SpectralRadiusIsThatOfTheHost) {
    for (const auto& a : coupled_matrices(host_)) {
        const Steps s = steps(a);
        const amg::DeviceSpectralRadius radius(backend(), s.a, s.found, amg::LevelFacts::number(s.facts.gershgorin));
        const double expected = amg::spectral_radius(host_, a, to_host(s.found.diagonal));
        EXPECT_NEAR(radius.value(backend()), expected, 1e-6 * expected) << a.n_rows;
    }
}

TEST_F(CudaAmg, CoarseInverseIsThatOfTheHost) {
    std::vector<HostCsr<double>> small;
    small.push_back(jump_diffusion3d<double>(host_, 5, 5, 5, {.contrast = 1e4}));
    small.push_back(poisson3d<double>(host_, 8, 7, 6));  // more rows than one block takes
    small.push_back(path_laplacian(33));
    small.push_back(csr_from_rows<double>(1, {{{0, 4.0}}}));
    for (const auto& a : small) {
        const Steps s = steps(a);
        const auto inverse = stiefel::to_host(backend(), amg::coarse_inverse(backend(), s.a, s.found));
        const auto expected = amg::coarse_inverse(a);
        ASSERT_TRUE(well_formed(inverse));
        ASSERT_EQ(inverse.nnz(), expected.nnz());
        double largest = 0;
        for (const double value : expected.values.span()) largest = std::max(largest, std::abs(value));
        for (Size k = 0; k < inverse.nnz(); ++k) {
            ASSERT_NEAR(inverse.values[k], expected.values[k], 1e-9 * largest) << k << " of " << a.n_rows;
        }
    }
}

TEST_F(CudaAmg, NeedsFewIterations) {
    const auto expect_few = [&](const HostCsr<double>& a, Size most, const std::string& what) {
        const Outcome run = solve(a, random_vector<double>(a.n_rows, 7));
        EXPECT_EQ(run.result.reason, StopReason::converged) << what;
        EXPECT_LE(run.result.iterations, most) << what;
    };
    expect_few(poisson3d<double>(host_, 40, 40, 40), 14, "40^3");
    expect_few(poisson2d<double>(host_, 300, 300), 20, "300^2");
    expect_few(stencil27<double>(host_, 24, 24, 24), 13, "27 points");
    expect_few(jump_diffusion3d<double>(host_, 24, 24, 24, {.contrast = 1e8}), 20, "jump");
    expect_few(anisotropic2d<double>(host_, 120, 120, 1e-3), 20, "anisotropic");
    expect_few(elasticity3d<double>(host_, 12, 8, 8), 36, "elasticity");
}

/// Also where a level is all but singular: it gains nothing there, and costs up to a fifth more iterations. By itself
/// it visits none twice.
TEST_F(CudaAmg, VisitsLevelsTwiceAsTheHostDoes) {
    std::vector<HostCsr<double>> all;
    for (const Index n : {32, 48}) all.push_back(poisson3d<double>(host_, n, n, n));
    all.push_back(jump_diffusion3d<double>(host_, 40, 40, 40, {.contrast = 1e8}));
    for (const auto& a : all) {
        SCOPED_TRACE(a.n_rows);
        const HostVector<double> b = random_vector<double>(a.n_rows, 7);
        const Outcome once = solve(a, b, 1e-8, {.cycle = "v"});
        const bool is_nearly_singular = &a == &all.back();
        const Size most = is_nearly_singular ? 18 : once.result.iterations;
        EXPECT_LE(once.result.iterations, most);
        const Amg<Cuda, double> by_itself(backend(), stiefel::to_device(backend(), a));
        EXPECT_EQ(by_itself.details().multigrid->cycle, "v");
        for (const char* cycle : {"w", "k"}) {
            SCOPED_TRACE(cycle);
            const Amg<Cuda, double> m(backend(), stiefel::to_device(backend(), a), {.cycle = cycle});
            const auto about = m.details(), of_host = Amg<OpenMP, double>(host_, a, {.cycle = cycle}).details();
            EXPECT_EQ(about.multigrid->cycle, of_host.multigrid->cycle);
            EXPECT_EQ(about.levels[1].visits, of_host.levels[1].visits);
            const Outcome twice = solve(a, b, 1e-8, {.cycle = cycle});
            EXPECT_EQ(twice.result.reason, StopReason::converged);
            EXPECT_LE(twice.result.iterations, most + 1);
            EXPECT_LE(true_relative_residual(a, b, twice.x), 1.01e-8);
        }
    }
}

TEST_F(CudaAmg, GivesTheSameBitsInEveryRun) {
    const auto a = jump_diffusion3d<double>(host_, 30, 30, 30, {.contrast = 1e3});
    const HostVector<double> b = random_vector<double>(a.n_rows, 3);
    for (const auto& smoother : amg::smoothers<Cuda, float>) {
        for (const char* cycle : {"v", "w"}) {
            SCOPED_TRACE(std::string(smoother.name) + " " + cycle);
            const amg::SetupOptions options{.smoother = smoother.name, .cycle = cycle};
            const Outcome first = solve(a, b, 1e-8, options);
            EXPECT_EQ(first.result.reason, StopReason::converged);
            for (int run = 0; run < 3; ++run) {
                const Outcome again = solve(a, b, 1e-8, options);
                EXPECT_EQ(std::memcmp(again.x.data(), first.x.data(), static_cast<std::size_t>(first.x.bytes())), 0);
            }
        }
    }
}

TEST_F(CudaAmg, SolvesSingularButConsistentSystems) {
    const Index n = 3000;
    const auto a = path_laplacian(n);
    HostVector<double> b = random_vector<double>(n, 2);
    double mean = 0;
    for (const double value : b.span()) mean += value / n;
    for (double& value : b.span()) value -= mean;
    const Outcome run = solve(a, b, 1e-6);
    EXPECT_EQ(run.result.reason, StopReason::converged);
    EXPECT_LE(run.result.iterations, 40);
}

/// Parts that float, some of which become one aggregate on which nothing is left of A but rounding.
TEST_F(CudaAmg, SolvesFloatingPartsWhereConsistent) {
    LaplacianRows rows;
    for (const Index n : {400, 3, 3, 4, 5, 7, 300}) append_ring(n, 0.1 * n, rows);
    const auto n = static_cast<Index>(rows.size());
    const auto a = csr_from_rows<double>(n, rows);
    HostVector<double> b(n, 0.0);
    spmv(host_, a, random_vector<double>(n, 2), b);
    const Outcome run = solve(a, b, 1e-7);
    EXPECT_EQ(run.result.reason, StopReason::converged);
    EXPECT_LE(run.result.iterations, 30);
}

TEST_F(CudaAmg, TakesMatricesOfAnyShape) {
    const auto diagonal = csr_from_rows<double>(3, {{{0, 1e-300}}, {{1, 1.0}}, {{2, 1e300}}});
    EXPECT_GT(amg::diagonal_spread(backend(), stiefel::to_device(backend(), diagonal)), 1e300);
    EXPECT_EQ(solve(csr_from_rows<double>(1, {{{0, 4.0}}}), HostVector<double>(1, 1.0)).result.reason,
              StopReason::converged);
}

TEST_F(CudaAmg, TellsItsLevelsAndSteps) {
    const auto a = poisson3d<double>(host_, 30, 30, 30);
    const Amg<Cuda, double> m(backend(), stiefel::to_device(backend(), a));
    const PreconditionerDetails details = m.details();
    ASSERT_GE(details.levels.size(), 3u);
    EXPECT_EQ(details.levels[0].rows, a.n_rows);
    EXPECT_EQ(details.levels[0].nonzeros, a.nnz());
    EXPECT_LE(details.operator_complexity(), 2.2);
    ASSERT_TRUE(details.multigrid.has_value());
    EXPECT_EQ(details.multigrid->smoother, "chebyshev");
    EXPECT_EQ(details.multigrid->block_size, 1);
    EXPECT_EQ(details.multigrid->near_null_space, "constant");
    double steps = 0;
    for (const auto& step : details.setup) {
        EXPECT_GT(step.seconds, 0) << step.name;
        steps += step.seconds;
    }
    EXPECT_LE(steps, details.seconds);
}

TEST_F(CudaAmg, NamesTheRowThatCannotBe) {
    const auto bad = [&](const HostCsr<double>& a) {
        return refusal([&] { const Amg<Cuda, double> m(backend(), stiefel::to_device(backend(), a)); });
    };
    EXPECT_NE(bad(csr_from_rows<double>(2, {{{0, 1.0}}, {{1, -2.0}}})).find("(2, 2)"), std::string::npos);
    std::vector<std::vector<std::pair<Index, double>>> rows(1000);
    for (Index i = 0; i < 1000; ++i) rows[static_cast<std::size_t>(i)] = {{i, i == 700 ? 0.0 : 1.0}};
    EXPECT_NE(bad(csr_from_rows<double>(1000, rows)).find("(701, 701)"), std::string::npos);
}

}  // namespace
}  // namespace stiefel::test
