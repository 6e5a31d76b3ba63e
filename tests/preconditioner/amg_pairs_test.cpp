#include "stiefel/preconditioner/amg/amg.hpp"

#include "stiefel/preconditioner/amg/coarsening.hpp"
#include "stiefel/preconditioner/amg/grid_lines.hpp"
#include "stiefel/preconditioner/amg/neighbourhoods.hpp"
#include "stiefel/preconditioner/amg/pairs.hpp"
#include "stiefel/preconditioner/amg/pairwise_coarsening.hpp"
#include "stiefel/problems/anisotropic.hpp"
#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/random_spd.hpp"
#include "stiefel/problems/stencil27.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/products/found_rows.hpp"
#include "stiefel/spmv/products/stored_rows.hpp"

#include "support/csr_checks.hpp"
#include "support/dense_matrix.hpp"
#include "support/laplacians.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stiefel::test {
namespace {

using amg::Pairs;

Pairs pairs_of(OpenMP& backend, const HostCsr<double>& a) {
    return amg::strongest_pairs(backend, a, amg::diagonal_of(backend, a));
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
        const Pairs next = pairs_of(backend, sum), again = amg::strongest_pairs(backend, found);
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

amg::GridLines lines_of(const HostCsr<double>& a) {
    return with_rows_of(a, [&](const auto& rows) { return amg::grid_lines(rows, a.n_rows); });
}

TEST(AmgPairs, KnowTheLinesOfAGrid) {
    OpenMP backend(1);
    constexpr Index one_line = amg::GridLines::none;
    const auto seven = lines_of(poisson3d<double>(backend, 9, 7, 5));
    EXPECT_EQ(seven.count, 3);
    EXPECT_EQ(seven.of(1).distance, 9);
    EXPECT_EQ(seven.of(9).distance, 63);
    EXPECT_EQ(seven.of(63).distance, one_line);
    EXPECT_EQ(seven.of(2).distance, one_line) << "no stride of the grid";
    const auto all_around = lines_of(stencil27<double>(backend, 9, 7, 5));
    EXPECT_EQ(all_around.count, 13);
    EXPECT_EQ(all_around.of(1).distance, 9);
    EXPECT_EQ(all_around.of(9).distance, 63);
    EXPECT_EQ(all_around.of(63).distance, one_line);
    EXPECT_EQ(lines_of(path_laplacian(100)).of(1).distance, one_line);
    EXPECT_EQ(lines_of(csr_from_rows<double>(1, {{{0, 1.0}}})).count, 0);
    EXPECT_EQ(lines_of(csr_from_rows<double>(0, {})).count, 0);
    const auto graph = random_spd<double>(backend, 3000);
    EXPECT_EQ(lines_of(graph).count, 0) << "rows have nothing in common";
}

/// Of the rows from `first` on, with the columns among them: what a rank holds of a grid.
HostCsr<double> part_of(const HostCsr<double>& a, Index first) {
    std::vector<std::vector<std::pair<Index, double>>> rows(static_cast<std::size_t>(a.n_rows - first));
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = first; i < a.n_rows; ++i) {
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                if (a.col_idx[k] < first) continue;
                rows[static_cast<std::size_t>(i - first)].emplace_back(a.col_idx[k] - first, a.values[k]);
            }
        }
    });
    return csr_from_rows<double>(a.n_rows - first, rows);
}

TEST(AmgPairs, KnowWhereLinesBeginInAPartOfAGrid) {
    OpenMP backend(1);
    const auto grid = poisson3d<double>(backend, 9, 7, 5);
    for (const Index first : {0, 4, 63, 63 + 9 * 3 + 2, 63 + 9 * 5 + 4}) {
        const auto lines = lines_of(part_of(grid, first));
        const Index of_plane = first % 63;
        EXPECT_EQ(lines.of(1).offset, first % 9);
        EXPECT_EQ(lines.of(9).offset, of_plane);
        EXPECT_EQ(lines.of(63).offset, of_plane > 63 / 2 ? of_plane + 63 : of_plane) << "the first whole plane is even";
    }
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

TEST(AmgNeighbourhoods, SayWhatAGridLooksLike) {
    OpenMP backend(2);
    const auto around = [&](const HostCsr<double>& a) {
        HostVector<double> diagonal = amg::diagonal_of(backend, a);
        return amg::sample_neighbourhoods(a, diagonal);
    };
    const auto line = around(anisotropic2d<double>(backend, 100, 100, 1e-3));
    const auto plane = around(poisson2d<double>(backend, 100, 100));
    const auto space = around(poisson3d<double>(backend, 40, 40, 40));
    const auto dense = around(stencil27<double>(backend, 40, 40, 40));
    EXPECT_NEAR(line.strong, 2, 0.1);
    EXPECT_NEAR(plane.strong, 4, 0.3);
    EXPECT_NEAR(space.strong, 6, 0.5);
    EXPECT_NEAR(dense.strong, 26, 3);
    EXPECT_LT(line.dimension, 1.1);
    EXPECT_GT(plane.dimension, 1.4);
    EXPECT_LT(plane.dimension, 1.9);
    EXPECT_GT(space.dimension, 2.1);
    EXPECT_GT(plane.smoothed_growth, 0.3);
    EXPECT_GT(space.smoothed_growth, 0.3);
    EXPECT_LT(dense.smoothed_growth, 0.1);
}

int passes(OpenMP& backend, const HostCsr<double>& a, std::string_view coarsening) {
    if (amg::is_surely_smoothed(a.n_rows, a.nnz(), coarsening)) return 0;
    return amg::pairing_passes(amg::sample_neighbourhoods(a, amg::diagonal_of(backend, a)), coarsening);
}

TEST(AmgCoarsenings, AreChosenByTheGraph) {
    OpenMP backend(2);
    const auto space = poisson3d<double>(backend, 30, 30, 30);
    const auto line = anisotropic2d<double>(backend, 100, 100, 1e-3);
    EXPECT_EQ(passes(backend, space, "auto"), 3);
    EXPECT_EQ(passes(backend, poisson2d<double>(backend, 100, 100), "auto"), 2);
    EXPECT_EQ(passes(backend, line, "auto"), 0);
    EXPECT_EQ(passes(backend, stencil27<double>(backend, 20, 20, 20), "auto"), 0);
    EXPECT_EQ(passes(backend, space, "smoothed"), 0);
    EXPECT_EQ(passes(backend, line, "pairs"), 2);
}

Size iterations_of(OpenMP& backend, const HostCsr<double>& a, std::string_view coarsening) {
    const Amg<OpenMP, double> m(backend, a, {.coarsening = coarsening});
    EXPECT_EQ(m.details().multigrid->coarsening, coarsening);
    const HostVector<double> b = random_vector<double>(a.n_rows, 7);
    HostVector<double> x(a.n_rows, 0.0);
    const SolveResult result = cg(backend, a, m, b, x, {.rtol = 1e-8});
    EXPECT_EQ(result.reason, StopReason::converged);
    return result.iterations;
}

/// Of either, iterations hardly grow, with the size and with jumps.
TEST(AmgCoarsenings, NeedFewIterations) {
    OpenMP backend(1);
    const auto iterations = [&](const HostCsr<double>& a, std::string_view coarsening) {
        return iterations_of(backend, a, coarsening);
    };
    for (const std::string_view coarsening : {"smoothed", "pairs"}) {
        for (const Index n : {20, 40}) EXPECT_LE(iterations(poisson3d<double>(backend, n, n, n), coarsening), 14);
        EXPECT_LE(iterations(poisson2d<double>(backend, 200, 200), coarsening), 18);
        for (const double contrast : {1.0, 1e4, 1e8}) {
            EXPECT_LE(iterations(jump_diffusion3d<double>(backend, 24, 24, 24, {.contrast = contrast}), coarsening),
                      20);
        }
    }
}

/// Nothing to pair: smoothed aggregation is asked, and has nothing either.
/// Whether lines of a grid fall into pairs without a rest makes little difference: pairs that were shifted from line to
/// line took 23 iterations on the first of these and 21 on the other.
TEST(AmgCoarsenings, NeedHardlyMoreIterationsOnGridsOfOddSizes) {
    OpenMP backend(2);
    const auto in_plane = [&](Index n) { return iterations_of(backend, poisson2d<double>(backend, n, n), "pairs"); };
    const auto in_space = [&](Index n) { return iterations_of(backend, poisson3d<double>(backend, n, n, n), "pairs"); };
    EXPECT_LE(in_plane(65), in_plane(64) + 2);
    EXPECT_LE(in_space(33), in_space(32) + 3);
}

/// Rows that sum to more than 0 are over-corrected in what is left without that alone.
TEST(AmgCoarsenings, KeepTheSumsOfRows) {
    OpenMP backend(2);
    auto a = poisson2d<double>(backend, 14, 11);
    a.row_ptr.visit([&](const auto* row_ptr) {  // a step of time, and sums of both signs
        for (Index i = 0; i < a.n_rows; ++i) {
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                if (a.col_idx[k] == i) a.values[k] += i % 14 < 7 ? -0.1 : 1.5;
            }
        }
    });
    amg::SetupSeconds seconds;
    const auto level = amg::coarsen_by_pairs(backend, a, amg::diagonal_of(backend, a), 2, seconds);
    ASSERT_TRUE(level.has_value());
    const HostVector<Index>& of_node = level->transfer->prolongation.col_idx;
    const DenseMatrix fine = dense_matrix(a), got = dense_matrix(level->a);
    DenseMatrix product = got;
    std::fill(product.values.begin(), product.values.end(), 0);
    for (Index i = 0; i < a.n_rows; ++i) {
        for (Index j = 0; j < a.n_rows; ++j) product(of_node[i], of_node[j]) += fine(i, j);
    }
    constexpr long double divisor = amg::over_correction;
    bool any_negative = false;
    for (Index i = 0; i < level->a.n_rows; ++i) {
        long double sum = 0;
        for (Index j = 0; j < level->a.n_rows; ++j) sum += product(i, j);
        any_negative = any_negative || sum < 0;
        for (Index j = 0; j < level->a.n_rows; ++j) {
            const long double kept = i == j ? std::max(sum, 0.0L) * (1 - 1 / divisor) : 0;
            EXPECT_NEAR(static_cast<double>(got(i, j)), static_cast<double>(product(i, j) / divisor + kept), 1e-14);
        }
    }
    EXPECT_TRUE(any_negative);
}

TEST(AmgCoarsenings, LeaveDiagonalsAlone) {
    OpenMP backend(1);
    const auto a = csr_from_rows<double>(3, {{{0, 1.0}}, {{1, 2.0}}, {{2, 3.0}}});
    amg::SetupSeconds seconds;
    EXPECT_FALSE(amg::coarsen_by_pairs(backend, a, amg::diagonal_of(backend, a), 2, seconds).has_value());
}

TEST(AmgCoarsenings, RefuseWhatDoesNotFit) {
    OpenMP backend(1);
    const auto a = elasticity3d<double>(backend, 4, 3, 3);
    EXPECT_NE(refusal([&] { const Amg<OpenMP, double> m(backend, a, {.coarsening = "pairs"}); }).find("has 3"),
              std::string::npos);
    EXPECT_NE(refusal([&] { const Amg<OpenMP, double> m(backend, a, {.coarsening = "pmis"}); }).find("pairs"),
              std::string::npos);
}

TEST(AmgCoarsenings, GiveTheSameBitsOnAnyNumberOfThreads) {
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

/// A graph in many parts, each smaller than an aggregate: nothing is left of a part but a row of zeros.
TEST(AmgCoarsenings, SolveSingularSystemsOfManyParts) {
    OpenMP backend(2);
    const Index parts = 600, size = 6;
    std::vector<std::vector<std::pair<Index, double>>> rows;
    for (Index i = 0; i < parts * size; ++i) {
        const Index begin = i / size * size, at = i % size;
        const Index before = begin + (at + size - 1) % size, after = begin + (at + 1) % size;
        std::vector<std::pair<Index, double>> row{{i, 2.0}, {before, -1.0}, {after, -1.0}};
        std::sort(row.begin(), row.end());
        rows.push_back(std::move(row));
    }
    const auto a = csr_from_rows<double>(parts * size, rows);
    HostVector<double> b = random_vector<double>(a.n_rows, 2);
    for (Index part = 0; part < parts; ++part) {
        double mean = 0;
        for (Index k = 0; k < size; ++k) mean += b[part * size + k] / size;
        for (Index k = 0; k < size; ++k) b[part * size + k] -= mean;
    }
    HostVector<double> x(a.n_rows, 0.0);
    const Amg<OpenMP, double> m(backend, a, {.coarsening = "pairs"});
    const SolveResult result = cg(backend, a, m, b, x, {.rtol = 1e-8});
    EXPECT_EQ(result.reason, StopReason::converged);
    EXPECT_LE(result.iterations, 20);
}

}  // namespace
}  // namespace stiefel::test
