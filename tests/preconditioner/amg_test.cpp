#include "stiefel/preconditioner/amg/amg.hpp"

#include "stiefel/preconditioner/amg/aggregates.hpp"
#include "stiefel/preconditioner/amg/coarse_inverse.hpp"
#include "stiefel/preconditioner/amg/nodes.hpp"
#include "stiefel/preconditioner/amg/prolongation.hpp"
#include "stiefel/preconditioner/amg/spectral_radius.hpp"
#include "stiefel/problems/anisotropic.hpp"
#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/stencil27.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

#include "support/csr_checks.hpp"
#include "support/dense_matrix.hpp"
#include "support/laplacians.hpp"
#include "support/matrices.hpp"
#include "support/matrix_in_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace stiefel::test {
namespace {

HostVector<double> diagonal_of(const HostCsr<double>& a) {
    HostVector<double> d(a.n_rows, 0.0);
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            for (auto k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                if (a.col_idx[k] == i) d[i] = a.values[k];
            }
        }
    });
    return d;
}

TEST(AmgAggregates, HoldEveryNodeOnce) {
    OpenMP backend(2);
    for (const auto& a : {poisson1d<double>(backend, 30), stencil27<double>(backend, 7, 7, 7), path_laplacian(2),
                          random_csr<double>({.n_rows = 1, .n_cols = 1})}) {
        const auto aggregates = amg::greedy_aggregates(a, amg::Strength(backend, a));
        std::vector<Index> sizes(static_cast<std::size_t>(aggregates.count), 0);
        for (const Index aggregate : aggregates.of_node.span()) {
            ASSERT_TRUE(aggregate >= 0 && aggregate < aggregates.count);
            ++sizes[static_cast<std::size_t>(aggregate)];
        }
        EXPECT_EQ(std::count(sizes.begin(), sizes.end(), 0), 0);
    }
}

/// A path is cut into pieces of three; weak couplings are crossed by none.
TEST(AmgAggregates, FollowStrongCouplings) {
    OpenMP backend(1);
    const auto path = poisson1d<double>(backend, 30);
    EXPECT_EQ(amg::greedy_aggregates(path, amg::Strength(backend, path)).count, 10);
    const Index n = 12;
    const auto lines = anisotropic2d<double>(backend, n, n, 1e-3);
    const auto aggregates = amg::greedy_aggregates(lines, amg::Strength(backend, lines));
    EXPECT_EQ(aggregates.count, n * n / 3);
    std::vector<Index> line_of(static_cast<std::size_t>(aggregates.count), -1);
    for (Index i = 0; i < n * n; ++i) {
        Index& line = line_of[static_cast<std::size_t>(aggregates.of_node[i])];
        if (line < 0) line = i / n;
        EXPECT_EQ(line, i / n) << i;
    }
}

/// Where a row of A sums to zero, the row of P sums to one: constants are kept.
TEST(AmgProlongation, KeepsConstants) {
    OpenMP backend(2);
    const Index n = 50;
    const auto a = path_laplacian(n);
    const amg::Strength is_strong(backend, a);
    const auto aggregates = amg::greedy_aggregates(a, is_strong);
    const auto p = amg::smoothed_prolongation(backend, a, is_strong, aggregates);
    ASSERT_TRUE(well_formed(p));
    EXPECT_EQ(p.n_cols, aggregates.count);
    p.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < n; ++i) {
            double sum = 0;
            for (auto k = row_ptr[i]; k < row_ptr[i + 1]; ++k) sum += p.values[k];
            EXPECT_NEAR(sum, 1, 1e-14) << i;
        }
    });
}

/// A path of twelve nodes with 100 times the coefficient in its second half: what is beside the jump is coupled weakly,
/// in the measure that aggregates go by, but the node of the small coefficient is interpolated from both sides, and
/// that of the large one from its own alone.
TEST(AmgProlongation, FollowsWhatARowDependsOn) {
    OpenMP backend(1);
    const Index n = 12, last_small = 5;
    std::vector<std::vector<std::pair<Index, double>>> rows(static_cast<std::size_t>(n));
    const auto between = [&](Index i) { return i < last_small ? 1.0 : i == last_small ? 2 * 100.0 / 101 : 100.0; };
    for (Index i = 0; i < n; ++i) {
        auto& row = rows[static_cast<std::size_t>(i)];
        const double before = i > 0 ? between(i - 1) : 2, behind = i + 1 < n ? between(i) : 200;
        if (i > 0) row.emplace_back(i - 1, -before);
        row.emplace_back(i, before + behind);
        if (i + 1 < n) row.emplace_back(i + 1, -behind);
    }
    const auto a = csr_from_rows<double>(n, rows);
    const amg::Strength is_strong(backend, a);
    const auto aggregates = amg::greedy_aggregates(a, is_strong);
    const auto p = dense_matrix(amg::smoothed_prolongation(backend, a, is_strong, aggregates));
    const Index small = aggregates.of_node[last_small], large = aggregates.of_node[last_small + 1];
    ASSERT_NE(small, large);
    EXPECT_GT(p(last_small, large), 0.1L);
    EXPECT_NEAR(static_cast<double>(p(last_small, small) + p(last_small, large)), 1, 1e-14);
    EXPECT_EQ(p(last_small + 1, small), 0);
}

TEST(AmgCoarseInverse, IsTheInverse) {
    OpenMP backend(1);
    const auto a = jump_diffusion3d<double>(backend, 4, 4, 4, {.contrast = 1e4});
    const auto product = dense_matrix(spgemm(backend, a, amg::coarse_inverse(a)));
    for (Index i = 0; i < a.n_rows; ++i) {
        for (Index j = 0; j < a.n_rows; ++j) {
            EXPECT_NEAR(static_cast<double>(product(i, j)), i == j ? 1 : 0, 1e-9);
        }
    }
}

/// A G A = A for the generalised inverse G of a singular matrix.
TEST(AmgCoarseInverse, OfASingularMatrixIsGeneralised) {
    OpenMP backend(1);
    const auto a = path_laplacian(20);
    const auto g = amg::coarse_inverse(a);
    EXPECT_TRUE(is_symmetric(dense_matrix(g)));
    const auto again = dense_matrix(spgemm(backend, a, spgemm(backend, g, a)));
    const auto exact = dense_matrix(a);
    for (std::size_t k = 0; k < exact.values.size(); ++k) {
        EXPECT_NEAR(static_cast<double>(again.values[k]), static_cast<double>(exact.values[k]), 1e-12);
    }
}

/// rho D - A is positive semidefinite, so rho bounds the spectrum; and is not far above it.
TEST(AmgSpectralRadius, IsAnUpperBound) {
    OpenMP backend(2);
    for (const auto& a :
         {poisson3d<double>(backend, 5, 5, 5), elasticity3d<double>(backend, 4, 3, 3), path_laplacian(40)}) {
        const HostVector<double> d = diagonal_of(a);
        const double rho = amg::spectral_radius(backend, a, d);
        DenseMatrix above = dense_matrix(a), far = above;
        for (auto& value : above.values) value = -value;
        for (auto& value : far.values) value = -value;
        for (Index i = 0; i < a.n_rows; ++i) {
            above(i, i) += static_cast<long double>(rho) * static_cast<long double>(d[i]);
            far(i, i) += static_cast<long double>(rho / 1.5) * static_cast<long double>(d[i]);
        }
        EXPECT_TRUE(eigenvalues_exceed(above, -1e-10L));
        EXPECT_FALSE(eigenvalues_exceed(far, 0));
    }
}

/// In the precision of the cycle, by its own matrix: so that what is made for that serves here too. Where the space of
/// Lanczos is exhausted, of three rows, as well.
TEST(AmgSpectralRadius, IsTheSameByTheMatrixOfTheCycle) {
    OpenMP backend(2);
    for (const auto& a : {elasticity3d<double>(backend, 9, 5, 4), stencil27<double>(backend, 7, 6, 5),
                          csr_from_rows<double>(3, {{{0, 2.0}, {1, -1.0}, {2, -1.5}},
                                                    {{0, -1.0}, {1, 3.0}, {2, -1.0}},
                                                    {{0, -1.5}, {1, -1.0}, {2, 4.0}}})}) {
        const HostVector<double> d = diagonal_of(a), inverse_roots = amg::roots(backend, d, true);
        const double expected = amg::largest_ritz_value(backend, a, d);
        auto scaled = amg::to_cycle_matrix<OpenMP, float>(backend, {a, inverse_roots, inverse_roots});
        const double found = amg::largest_ritz_value<float>(
            backend, a.n_rows,
            [&](const HostVector<float>& v, HostVector<float>& w) { multiply(backend, scaled, 1, v, w, 1, 0); });
        EXPECT_NEAR(found, expected, 1e-5 * expected);
    }
}

TEST(AmgNodes, AreFoundFromPatternAndSigns) {
    OpenMP backend(2);
    EXPECT_EQ(amg::find_components(backend, elasticity3d<double>(backend, 6, 5, 5)), 3);
    EXPECT_EQ(amg::find_components(backend, poisson3d<double>(backend, 6, 6, 6)), 1);
    EXPECT_EQ(amg::find_components(backend, stencil27<double>(backend, 6, 6, 6)), 1);
    EXPECT_EQ(amg::find_components(backend, csr_from_rows<double>(2, {{{0, 1.0}}, {{1, 1.0}}})), 1);
    const auto grid = poisson3d<double>(backend, 6, 6, 5);
    for (const Index size : {2, 3, 6}) {
        auto a = in_blocks(grid, size);
        EXPECT_EQ(amg::find_components(backend, a), size);
        EXPECT_EQ((Amg<OpenMP, double>(backend, a).details().multigrid->block_size), size);
        a.row_ptr.visit([&](const auto* row_ptr) {
            for (Index i = 0; i < a.n_rows; ++i) {
                for (auto k = row_ptr[i]; k < row_ptr[i + 1]; ++k)
                    a.values[k] *= a.col_idx[k] != i && a.values[k] > 0 ? -1 : 1;
            }
        });
        EXPECT_EQ(amg::find_components(backend, a), 1) << "no coupling is positive";
    }
    EXPECT_EQ(amg::find_components(backend, in_blocks(grid, 4)), 2) << "four are two pairs";
    EXPECT_EQ(amg::find_components(backend, in_blocks(grid, 5)), 1) << "no size that is looked for";
    EXPECT_EQ(amg::find_components(backend, in_blocks(poisson3d<double>(backend, 20, 16, 16), 6)), 6)
        << "by all threads";
}

struct Outcome {
    Size iterations;
    StopReason reason;
};

Outcome solve(const HostCsr<double>& a, OpenMP& backend) {
    const Amg<OpenMP, double> m(backend, a);
    const HostVector<double> b = random_vector<double>(a.n_rows, 7);
    HostVector<double> x(a.n_rows, 0.0);
    const SolveResult result = cg(backend, a, m, b, x, {.rtol = 1e-8});
    return {result.iterations, result.reason};
}

/// Counts that hardly depend on the size, on jumps of the coefficient, on the direction of the coupling.
TEST(Amg, NeedsFewIterations) {
    OpenMP backend(1);
    const auto expect_few = [&](const HostCsr<double>& a, Size most, const std::string& what) {
        const Outcome run = solve(a, backend);
        EXPECT_EQ(run.reason, StopReason::converged) << what;
        EXPECT_LE(run.iterations, most) << what;
    };
    expect_few(poisson3d<double>(backend, 12, 12, 12), 12, "12^3");
    expect_few(poisson3d<double>(backend, 40, 40, 40), 14, "40^3");
    expect_few(stencil27<double>(backend, 24, 24, 24), 13, "27 points");
    for (const double contrast : {1.0, 1e4, 1e8}) {
        expect_few(jump_diffusion3d<double>(backend, 24, 24, 24, {.contrast = contrast}), 20, "jump");
    }
    for (const double epsilon : {1.0, 1e-3, 1e-6}) {
        expect_few(anisotropic2d<double>(backend, 120, 120, epsilon), 16, "anisotropic");
    }
    expect_few(elasticity3d<double>(backend, 12, 8, 8), 36, "elasticity");
}

TEST(Amg, GivesTheSameBitsOnAnyNumberOfThreads) {
    OpenMP one(1);
    const auto a = jump_diffusion3d<double>(one, 20, 20, 20, {.contrast = 1e3});
    const HostVector<double> r = random_vector<double>(a.n_rows, 3);
    const auto apply = [&](int threads) {
        OpenMP backend(threads);
        const Amg<OpenMP, double> m(backend, a);
        HostVector<double> z(a.n_rows);
        precondition(backend, m, {r.data(), a.n_rows, 1, 1}, {z.data(), a.n_rows, 1, 1});
        return z;
    };
    const HostVector<double> expected = apply(1);
    for (int threads : {2, 3, 5}) {
        const HostVector<double> z = apply(threads);
        EXPECT_EQ(std::memcmp(z.data(), expected.data(), static_cast<std::size_t>(z.bytes())), 0) << threads;
    }
}

/// A graph's Laplacian with a right-hand side in its range.
TEST(Amg, SolvesSingularButConsistentSystems) {
    OpenMP backend(2);
    const Index n = 3000;
    const auto a = path_laplacian(n);
    HostVector<double> b = random_vector<double>(n, 2);
    double mean = 0;
    for (const double value : b.span()) mean += value / n;
    for (double& value : b.span()) value -= mean;
    HostVector<double> x(n, 0.0);
    const Amg<OpenMP, double> m(backend, a);
    const SolveResult result = cg(backend, a, m, b, x, {.rtol = 1e-6});
    EXPECT_EQ(result.reason, StopReason::converged) << static_cast<int>(result.evidence);
    EXPECT_LE(result.iterations, 40);
}

TEST(Amg, TakesMatricesOfAnyShape) {
    OpenMP backend(2);
    const auto diagonal = csr_from_rows<double>(3, {{{0, 1e-300}}, {{1, 1.0}}, {{2, 1e300}}});
    EXPECT_GT(amg::diagonal_spread(backend, diagonal), 1e300);
    const HostVector<double> b(3, 1.0);
    HostVector<double> x(3, 0.0);
    EXPECT_EQ(cg(backend, diagonal, Amg<OpenMP, double, double>(backend, diagonal), b, x).reason,
              StopReason::converged);
    EXPECT_EQ(solve(csr_from_rows<double>(1, {{{0, 4.0}}}), backend).reason, StopReason::converged);
}

TEST(Amg, NamesTheRowThatCannotBe) {
    OpenMP backend(2);
    const auto a = csr_from_rows<double>(2, {{{0, 1.0}}, {{1, -2.0}}});
    EXPECT_NE(refusal([&] { const Amg<OpenMP, double> m(backend, a); }).find("(2, 2)"), std::string::npos);
}

}  // namespace
}  // namespace stiefel::test
