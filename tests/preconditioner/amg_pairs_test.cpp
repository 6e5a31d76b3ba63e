#include "stiefel/preconditioner/amg/coarsening.hpp"
#include "stiefel/preconditioner/amg/pairs.hpp"
#include "stiefel/preconditioner/amg/pairwise_coarsening.hpp"
#include "stiefel/problems/anisotropic.hpp"
#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/stencil27.hpp"
#include "stiefel/spmv/products/found_rows.hpp"

#include "support/csr_checks.hpp"
#include "support/dense_matrix.hpp"
#include "support/laplacians.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

namespace stiefel::test {
namespace {

using amg::Pairs;

Pairs pairs_of(OpenMP& backend, const HostCsr<double>& a) {
    const amg::GridLines lines = amg::lines_of(a);
    return amg::strongest_pairs(backend, a, amg::diagonal_of(backend, a), {&lines});
}

/// s_ij = -a_ij / sqrt(a_ii a_jj), in rows.
DenseMatrix couplings(const HostCsr<double>& a) {
    DenseMatrix s = dense_matrix(a);
    const DenseMatrix entries = s;
    for (Index i = 0; i < a.n_rows; ++i) {
        for (Index j = 0; j < a.n_rows; ++j) {
            s(i, j) = i == j ? 0 : -entries(i, j) / std::sqrt(entries(i, i) * entries(j, j));
        }
    }
    return s;
}

/// Whether they may be paired: up to rounding, a little more or less than what counts.
bool may_pair(const DenseMatrix& s, Index n, Index i, Index j, long double more) {
    long double most = 0;
    for (Index k = 0; k < n; ++k) most = std::max({most, std::abs(s(i, k)), std::abs(s(j, k))});
    return s(i, j) > 0 && s(i, j) >= (0.25L + more) * most;
}

std::vector<HostCsr<double>> graphs(OpenMP& backend) {
    std::vector<HostCsr<double>> all;
    all.push_back(poisson3d<double>(backend, 6, 5, 7));
    all.push_back(anisotropic2d<double>(backend, 9, 11, 1e-2));
    all.push_back(jump_diffusion3d<double>(backend, 6, 6, 6, {.contrast = 1e4}));
    all.push_back(stencil27<double>(backend, 5, 5, 5));
    all.push_back(elasticity3d<double>(backend, 3, 3, 3));  // entries of both signs
    all.push_back(path_laplacian(1));
    all.push_back(path_laplacian(7));
    all.push_back(csr_from_rows<double>(3, {{{0, 1.0}}, {{1, 2.0}}, {{2, 3.0}}}));
    return all;
}

TEST(AmgPairs, HoldEveryNodeOnceAndLeaveNoneThatCouldBePaired) {
    OpenMP backend(2);
    for (const auto& a : graphs(backend)) {
        const Pairs pairs = pairs_of(backend, a);
        const DenseMatrix s = couplings(a);
        std::vector<int> seen(static_cast<std::size_t>(a.n_rows), 0);
        std::vector<Index> alone;
        for (Index pair = 0; pair < pairs.count(); ++pair) {
            const Index i = pairs.first[pair], j = pairs.second[pair];
            if (pair > 0) {
                EXPECT_LT(pairs.first[pair - 1], i);
            }
            for (const Index node : {i, j}) {
                if (node == Pairs::none) continue;
                ++seen[static_cast<std::size_t>(node)];
                EXPECT_EQ(pairs.of_node[node], pair);
            }
            if (j == Pairs::none) {
                alone.push_back(i);
            } else {
                EXPECT_LT(i, j);
                EXPECT_TRUE(may_pair(s, a.n_rows, i, j, -1e-12L)) << i << " " << j;
            }
        }
        EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), a.n_rows);
        for (const Index i : alone) {
            for (const Index j : alone) EXPECT_FALSE(i != j && may_pair(s, a.n_rows, i, j, 1e-12L)) << i << " " << j;
        }
    }
}

/// P'A P, summed by another way.
TEST(AmgPairs, AreSummedUp) {
    OpenMP backend(2);
    for (const auto& a : graphs(backend)) {
        const Pairs pairs = pairs_of(backend, a);
        const HostCsr<double> coarse = amg::sum_of_pairs(backend, a, pairs, 1);
        ASSERT_TRUE(well_formed(coarse));
        const DenseMatrix fine = dense_matrix(a), got = dense_matrix(coarse);
        DenseMatrix expected = got, size = got;
        std::fill(expected.values.begin(), expected.values.end(), 0);
        size.values = expected.values;
        for (Index i = 0; i < a.n_rows; ++i) {
            for (Index j = 0; j < a.n_rows; ++j) {
                expected(pairs.of_node[i], pairs.of_node[j]) += fine(i, j);
                size(pairs.of_node[i], pairs.of_node[j]) += std::abs(fine(i, j));
            }
        }
        constexpr long double three_roundings = 3 * 0x1p-53L;  // of the sum of four
        for (std::size_t k = 0; k < got.values.size(); ++k) {
            EXPECT_LE(std::abs(got.values[k] - expected.values[k]), three_roundings * size.values[k]);
        }
    }
}

HostCsr<double> put_together(const FoundRows<double>& found) {
    std::vector<std::vector<std::pair<Index, double>>> rows;
    for (Index i = 0; i < found.n_rows(); ++i) {
        const Entries<double> row = found.row(i);
        auto& entries = rows.emplace_back();
        for (Size k = 0; k < row.n; ++k) entries.emplace_back(row.cols[k], row.values[k]);
        std::sort(entries.begin(), entries.end());
    }
    return csr_from_rows<double>(found.n_rows(), rows);
}

double largest(const HostCsr<double>& a) {
    double most = 0;
    for (const double value : a.values) most = std::max(most, std::abs(value));
    return most;
}

/// Rows left where they are found are the same matrix, and paired alike.
TEST(AmgPairs, AreSummedUpWhereTheyAreFound) {
    OpenMP backend(3);
    auto all = graphs(backend);
    all.push_back(jump_diffusion3d<double>(backend, 30, 31, 32, {.contrast = 1e4}));  // of several chunks and threads
    for (const auto& a : all) {
        const Pairs pairs = pairs_of(backend, a);
        const HostCsr<double> sum = amg::sum_of_pairs(backend, a, pairs, 1);
        const FoundRows<double> found = amg::found_sum_of_pairs(backend, a, pairs);
        ASSERT_EQ(found.n_rows(), sum.n_rows);
        EXPECT_EQ(found.nnz(), sum.nnz());
        EXPECT_TRUE(bit_equal(put_together(found), sum));
        const amg::GridLines lines = amg::lines_of(sum);
        const Pairs next = pairs_of(backend, sum), again = amg::strongest_pairs(backend, found, {&lines});
        EXPECT_TRUE(std::equal(next.of_node.begin(), next.of_node.end(), again.of_node.begin()));
        for (const double factor : {1.0, 1 / 1.8}) {
            const HostCsr<double> coarse = amg::sum_of_pairs(backend, sum, next, factor);
            const HostCsr<double> from_found = amg::sum_of_pairs(backend, found, next, factor);
            ASSERT_TRUE(std::equal(coarse.col_idx.begin(), coarse.col_idx.end(), from_found.col_idx.begin()));
            // The up to four terms of an entry come in another order: three roundings on either side.
            const double most = 6 * 0x1p-53 * 4 * factor * largest(sum);
            for (Size k = 0; k < coarse.nnz(); ++k) EXPECT_NEAR(from_found.values[k], coarse.values[k], most);
        }
    }
}

/// Pairs of pairs of pairs of a grid are its cubes.
TEST(AmgPairs, MakeCubesOfAGrid) {
    OpenMP backend(2);
    const Index nx = 8, ny = 6, nz = 10;
    const auto a = poisson3d<double>(backend, nx, ny, nz);
    amg::SetupSeconds seconds;
    const HostVector<double> diagonal(a.n_rows, 6.0);
    const auto coarser = amg::coarsen_by_pairs(backend, a, diagonal, 3, seconds);
    ASSERT_TRUE(coarser.has_value());
    EXPECT_EQ(coarser->a.n_rows, a.n_rows / 8);
    EXPECT_EQ(coarser->a.nnz(), poisson3d<double>(backend, nx / 2, ny / 2, nz / 2).nnz());
    const auto cube = [&](Index i) { return (i / (nx * ny) / 2 * (ny / 2) + i / nx % ny / 2) * (nx / 2) + i % nx / 2; };
    for (Index i = 0; i < a.n_rows; ++i) EXPECT_EQ(coarser->transfer->prolongation.col_idx[i], cube(i)) << i;
}

/// Side by side in all lines, also where these have an odd number of nodes.
TEST(AmgPairs, BeginAlikeInAllLines) {
    OpenMP backend(2);
    for (const Index nx : {16, 17}) {
        const Pairs pairs = pairs_of(backend, poisson3d<double>(backend, nx, 11, 9));
        for (Index pair = 0; pair < pairs.count(); ++pair) {
            const Index x = pairs.first[pair] % nx;
            if (x == 16) continue;  // beside the last of the pairs
            EXPECT_EQ(x % 2, 0);
            EXPECT_EQ(pairs.second[pair], pairs.first[pair] + 1);
        }
    }
}

/// Along its lines, whichever way they are numbered.
TEST(AmgPairs, FollowStrongCouplings) {
    OpenMP backend(1);
    const Index n = 16;
    const auto a = anisotropic2d<double>(backend, n, n, 1e-3);
    const Pairs pairs = pairs_of(backend, a);
    EXPECT_EQ(pairs.count(), n * n / 2);
    for (Index pair = 0; pair < pairs.count(); ++pair) {
        EXPECT_EQ(pairs.first[pair] % 2, 0);
        EXPECT_EQ(pairs.second[pair], pairs.first[pair] + 1);
    }
}

/// Beside a jump of the coefficient, too, where nodes have other diagonal entries than inside of a brick: pairs of
/// pairs were shifted against each other there, and A took 16 iterations instead of 12.
TEST(AmgPairs, OfPairsOfPairsAreCubesBesideJumps) {
    OpenMP backend(2);
    const Index n = 24;
    amg::SetupSeconds seconds;
    for (const double contrast : {1e1, 1e2, 1e4, 1e8}) {
        const auto a = jump_diffusion3d<double>(backend, n, n, n, {.contrast = contrast});
        const amg::Aggregates aggregates =
            amg::aggregates_of_pairs(backend, a, amg::diagonal_of(backend, a), 3, seconds);
        EXPECT_EQ(aggregates.count, n * n * n / 8) << contrast;
        Index beyond = 0;
        for (Index i = 0; i < a.n_rows; ++i) {
            const Index x = i % n, y = i / n % n, z = i / (n * n);
            const Index corner = (z / 2 * 2 * n + y / 2 * 2) * n + x / 2 * 2;
            beyond += aggregates.of_node[i] != aggregates.of_node[corner];
        }
        EXPECT_EQ(beyond, 0) << contrast;
    }
}

TEST(AmgPairs, GiveTheSameBitsOnAnyNumberOfThreads) {
    OpenMP one(1);
    for (const auto& a : {jump_diffusion3d<double>(one, 26, 25, 27, {.contrast = 1e3}),
                          csr_from_rows<double>(2, {{{0, -1.0}, {1, 1.0}}, {{0, 1.0}, {1, 0.0}}})}) {
        const Pairs expected = pairs_of(one, a);
        const HostCsr<double> sum = amg::sum_of_pairs(one, a, expected, 1);
        for (int threads : {2, 3, 5}) {
            OpenMP backend(threads);
            const Pairs pairs = pairs_of(backend, a);
            const HostCsr<double> again = amg::sum_of_pairs(backend, a, pairs, 1);
            EXPECT_TRUE(std::equal(pairs.of_node.begin(), pairs.of_node.end(), expected.of_node.begin()));
            ASSERT_EQ(again.nnz(), sum.nnz());
            EXPECT_EQ(std::memcmp(again.values.data(), sum.values.data(), static_cast<std::size_t>(sum.values.bytes())),
                      0);
        }
    }
}

}  // namespace
}  // namespace stiefel::test
