#include "stiefel/preconditioner/amg/amg.hpp"

#include "stiefel/preconditioner/amg/block_matrix.hpp"
#include "stiefel/preconditioner/amg/near_null_space.hpp"
#include "stiefel/preconditioner/amg/rigid_body_modes.hpp"
#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

#include "support/beam_nodes.hpp"
#include "support/csr_checks.hpp"
#include "support/dense_matrix.hpp"
#include "support/loose_nodes.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace stiefel::test {
namespace {

amg::Coordinates in_space(const std::vector<double>& values) {
    return {.nodes = static_cast<Index>(values.size() / 3), .dimensions = 3, .values = values};
}

/// A takes them to zero in the rows that are not next to the clamped face.
TEST(AmgModes, OfABodyStrainNothing) {
    OpenMP backend(2);
    const Index nx = 4;
    const auto a = elasticity3d<double>(backend, nx, 3, 2);
    const auto xyz = beam_nodes(nx, 3, 2);
    const amg::NearNullSpace space = amg::rigid_body_modes(in_space(xyz), 3);
    ASSERT_EQ(space.modes, 6);
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            if (i / 3 % nx == 0) continue;
            for (Index m = 0; m < 6; ++m) {
                double sum = 0;
                for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) sum += a.values[k] * space.row(a.col_idx[k])[m];
                EXPECT_NEAR(sum, 0, 1e-14) << i << " " << m;
            }
        }
    });
}

/// In the plane, and of nodes that turn: the velocities of a turning body, and its rate of turning.
TEST(AmgModes, OfOtherNodes) {
    const std::vector<double> plane{-1, 1, 3, -2, 2, 0};  // (-1, -2), (1, 2), (3, 0): the middle is (1, 0)
    const amg::NearNullSpace flat = amg::rigid_body_modes({.nodes = 3, .dimensions = 2, .values = plane}, 2);
    ASSERT_EQ(flat.modes, 3);
    EXPECT_EQ(flat.row(0)[0], 1);
    EXPECT_EQ(flat.row(1)[1], 1);
    EXPECT_EQ(flat.row(0)[2], 1);   // -y / 2
    EXPECT_EQ(flat.row(1)[2], -1);  // x / 2
    const std::vector<double> space{0, 0, 0, 2, 0, 0};
    const amg::NearNullSpace shell = amg::rigid_body_modes({.nodes = 2, .dimensions = 3, .values = space}, 6);
    ASSERT_EQ(shell.modes, 6);
    for (Index c = 0; c < 6; ++c) EXPECT_EQ(shell.row(c)[c], 1);
    EXPECT_EQ(std::abs(shell.row(0)[5]), 1);
}

/// T B_c = B, and the columns of T are orthonormal or zero: zero on aggregates too small for all modes, or straight.
TEST(AmgModes, AreInTheRangeOfT) {
    OpenMP backend(2);
    const Index n_nodes = 12;
    amg::Aggregates aggregates{.of_node = HostVector<Index>(n_nodes), .count = 4};
    std::vector<double> xyz;  // aggregates of 1, 2 and 3 nodes on a line, and of 6 nodes anywhere
    for (int axis = 0; axis < 3; ++axis) {
        for (Index i = 0; i < n_nodes; ++i) {
            xyz.push_back(i < 6 ? (axis == 0 ? i : 0) : 1e3 * std::sin(1.0 + i * 7 + axis));
        }
    }
    for (Index i = 0; i < n_nodes; ++i) aggregates.of_node[i] = i < 1 ? 0 : i < 3 ? 1 : i < 6 ? 2 : 3;
    const amg::NearNullSpace space = amg::rigid_body_modes(in_space(xyz), 3);
    const auto t = amg::tentative_prolongation(backend, aggregates, amg::rigid_body_modes(in_space(xyz), 3));
    ASSERT_EQ(t.coarse.block, 6);
    const int ranks[] = {3, 5, 5, 6};
    for (Index a = 0; a < aggregates.count; ++a) {
        int rank = 0;
        for (Index p = 0; p < 6; ++p) {
            for (Index q = 0; q <= p; ++q) {
                double sum = 0;
                for (Index i = 0; i < 3 * n_nodes; ++i) {
                    const double* const row = t.values.data() + Size{i} * 6;
                    if (aggregates.of_node[i / 3] == a) sum += row[p] * row[q];
                }
                if (p == q) rank += sum > 0.5;
                EXPECT_NEAR(sum, p == q && sum > 0.5 ? 1 : 0, 1e-14);
            }
        }
        EXPECT_EQ(rank, ranks[a]) << a;
    }
    for (Index i = 0; i < 3 * n_nodes; ++i) {
        for (Index m = 0; m < 6; ++m) {
            double sum = 0;
            const double* const row = t.values.data() + Size{i} * 6;
            for (Index k = 0; k < 6; ++k) sum += row[k] * t.coarse.row(aggregates.of_node[i / 3] * 6 + k)[m];
            EXPECT_NEAR(sum, space.row(i)[m], 1e-13) << i << " " << m;
        }
    }
}

/// What is done with blocks is what is done with entries.
TEST(AmgBlockMatrix, MultipliesAsEntriesDo) {
    OpenMP backend(2);
    for (const Index size : {1, 2, 3, 4, 6}) {
        const auto a = random_csr<double>({.n_rows = 12 * 40, .n_cols = 12 * 40, .mean_row = 8, .seed = 1});
        const auto b = random_csr<double>({.n_rows = 12 * 40, .n_cols = 12 * 40, .mean_row = 8, .seed = 2});
        const auto blocks = amg::to_blocks(backend, a, size);
        const auto twice = amg::transpose(backend, amg::transpose(backend, blocks));
        EXPECT_TRUE(std::equal(blocks.values.begin(), blocks.values.end(), twice.values.begin()));
        const auto c = amg::to_csr(backend, amg::product(backend, blocks, amg::to_blocks(backend, b, size)));
        ASSERT_TRUE(well_formed(c));
        const auto expected = dense_matrix(spgemm(backend, a, b));
        const auto found = dense_matrix(c);
        for (std::size_t k = 0; k < expected.values.size(); ++k) {
            ASSERT_NEAR(static_cast<double>(found.values[k]), static_cast<double>(expected.values[k]), 1e-13);
        }
    }
}

Size iterations(OpenMP& backend, const HostCsr<double>& a, const amg::SetupOptions& options) {
    const Amg<OpenMP, double> m(backend, a, options);
    const HostVector<double> b = random_vector<double>(a.n_rows, 7);
    HostVector<double> x(a.n_rows, 0.0);
    const SolveResult result = cg(backend, a, m, b, x, {.rtol = 1e-8});
    EXPECT_EQ(result.reason, StopReason::converged);
    return result.iterations;
}

/// Half the iterations of constants, wherever the origin is; and hardly more for a finer grid.
TEST(AmgModes, HalveTheIterationsOfElasticity) {
    OpenMP backend(1);
    const auto count = [&](Index n, double shift, bool modes) {
        auto xyz = beam_nodes(n, n, n);
        for (double& x : xyz) x = x / n + shift;
        return iterations(backend, elasticity3d<double>(backend, n, n, n),
                          modes ? amg::SetupOptions{.coordinates = in_space(xyz)} : amg::SetupOptions{});
    };
    const Size small = count(6, 0, true), large = count(14, 0, true);
    EXPECT_LE(small, 11);
    EXPECT_LE(large, 12);
    EXPECT_LE(2 * large, count(14, 0, false) + 1);
    EXPECT_LE(count(6, 1e6, true), small + 1);
}

TEST(AmgModes, TakeAggregatesThatAreTooSmall) {
    OpenMP backend(2);
    const BodyWithLooseNodes body = body_with_loose_nodes(backend, 5);
    EXPECT_LE(iterations(backend, body.a, {.coordinates = body.coordinates()}), 16);
}

TEST(AmgModes, GiveTheSameBitsOnAnyNumberOfThreads) {
    OpenMP one(1);
    const auto a = elasticity3d<double>(one, 9, 7, 8);
    const auto xyz = beam_nodes(9, 7, 8);
    const HostVector<double> r = random_vector<double>(a.n_rows, 3);
    const auto apply = [&](int threads) {
        OpenMP backend(threads);
        const Amg<OpenMP, double> m(backend, a, {.coordinates = in_space(xyz)});
        HostVector<double> z(a.n_rows);
        precondition(backend, m, {r.data(), a.n_rows, 1, 1}, {z.data(), a.n_rows, 1, 1});
        return z;
    };
    const HostVector<double> expected = apply(1);
    for (int threads : {2, 3}) {
        const HostVector<double> z = apply(threads);
        EXPECT_EQ(std::memcmp(z.data(), expected.data(), static_cast<std::size_t>(z.bytes())), 0) << threads;
    }
}

TEST(AmgModes, SayWhatWouldFit) {
    OpenMP backend(1);
    const auto a = elasticity3d<double>(backend, 3, 2, 2);
    const auto xyz = beam_nodes(3, 2, 2);
    const auto refused = [&](const amg::SetupOptions& options) {
        return refusal([&] { const Amg<OpenMP, double> m(backend, a, options); });
    };
    EXPECT_NE(refused({.block_size = 7}).find("81 rows"), std::string::npos);
    EXPECT_NE(refused({.block_size = 1, .coordinates = in_space(xyz)}).find("3 or 6"), std::string::npos);
    amg::Coordinates few = in_space(xyz);
    few.nodes = 26;
    EXPECT_NE(refused({.block_size = 3, .coordinates = few}).find("27 nodes"), std::string::npos);
    auto wrong = xyz;
    wrong[30] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_NE(refused({.coordinates = in_space(wrong)}).find("node 4 is nan"), std::string::npos);
}

}  // namespace
}  // namespace stiefel::test
