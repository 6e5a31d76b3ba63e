#include "stiefel/world/grid_planes.hpp"

#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/random_spd.hpp"
#include "stiefel/problems/stencil27.hpp"
#include "stiefel/spmv/convert.hpp"
#include "stiefel/world/one_rank.hpp"

#include "support/laplacians.hpp"
#include "support/world_suite.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace stiefel::test {
namespace {

/// Both triangles, or the lower one of what is declared symmetric.
Coo<double> entries_of(const HostCsr<double>& a, Symmetry symmetry) {
    std::vector<Index> rows, cols;
    std::vector<double> values;
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                if (symmetry == Symmetry::symmetric && a.col_idx[k] > i) continue;
                rows.push_back(i);
                cols.push_back(a.col_idx[k]);
                values.push_back(a.values[k]);
            }
        }
    });
    const auto n = static_cast<Size>(rows.size());
    Coo<double> coo{.n_rows = a.n_rows,
                    .n_cols = a.n_cols,
                    .symmetry = symmetry,
                    .row_idx = HostVector<Index>(n),
                    .col_idx = HostVector<Index>(n),
                    .values = HostVector<double>(n)};
    std::copy(rows.begin(), rows.end(), coo.row_idx.data());
    std::copy(cols.begin(), cols.end(), coo.col_idx.data());
    std::copy(values.begin(), values.end(), coo.values.data());
    return coo;
}

/// As entries and rows in the middle tell.
void expect_plane(const HostCsr<double>& a, Size plane) {
    OneRank alone;
    for (const Symmetry symmetry : {Symmetry::general, Symmetry::symmetric}) {
        EXPECT_EQ(plane_of_grid(alone, entries_of(a, symmetry)), plane);
    }
    const Size first = a.n_rows / 2 - 5;
    const RowBlocks blocks({0, first, first + 10, a.n_rows});
    EXPECT_EQ(plane_of_grid(rows_of(a, blocks, 1), first, a.n_rows), plane);
}

TEST(GridPlanes, AreThoseOfGridsWithNeighboursAlongLines) {
    OpenMP host(1);
    expect_plane(poisson3d<double>(host, 9, 7, 5), 63);
    expect_plane(poisson2d<double>(host, 13, 11), 13);
    expect_plane(stencil27<double>(host, 9, 7, 5), 0);
    expect_plane(elasticity3d<double>(host, 4, 4, 4), 0);
    expect_plane(path_laplacian(100), 0);
    expect_plane(random_spd<double>(host, 300), 0);
}

TEST(GridPlanes, AreNoneWhereACouplingIsMissing) {
    OneRank alone;
    OpenMP host(1);
    auto entries = entries_of(poisson3d<double>(host, 9, 7, 5), Symmetry::symmetric);
    for (Size e = 0; e < entries.n_entries(); ++e) {
        if (entries.row_idx[e] - entries.col_idx[e] == 63 && entries.row_idx[e] == 100) entries.col_idx[e] = 99;
    }
    EXPECT_EQ(plane_of_grid(alone, entries), 0);
}

void expect_blocks(const RowBlocks& got, const std::vector<Size>& first, Size unit) {
    ASSERT_EQ(got.n_ranks() + 1, static_cast<int>(first.size()));
    for (int rank = 0; rank <= got.n_ranks(); ++rank) {
        EXPECT_EQ(got.first(rank), first[static_cast<std::size_t>(rank)] * unit) << rank;
    }
}

TEST(GridPlanes, AreWhereRanksBegin) {
    expect_blocks(at_planes(RowBlocks({0, 250, 500}), 10), {0, 26, 50}, 10);                    // of 26 planes and 24
    expect_blocks(at_planes(RowBlocks({0, 503, 1000}), 10), {0, 50, 100}, 10);                  // every other
    expect_blocks(at_planes(RowBlocks({0, 125, 250, 375, 500}), 10), {0, 12, 26, 38, 50}, 10);  // of up to 14 planes
    expect_blocks(at_planes(RowBlocks({0, 105, 210, 315, 420}), 10), {0, 11, 21, 32, 42}, 10);  // 12 would be too many
    expect_blocks(at_planes(RowBlocks({0, 18, 35, 52, 70}), 10), {0, 18, 35, 52, 70}, 1);       // so would 2 planes
    expect_blocks(at_planes(RowBlocks({0, 503, 1000}), 0), {0, 503, 1000}, 1);
    expect_blocks(at_planes(RowBlocks({0, 503, 1001}), 11), {0, 46, 91}, 11);
    expect_blocks(at_planes(RowBlocks({0, 0, 1000, 1000}), 10), {0, 0, 100, 100}, 10);  // ranks without rows
}

}  // namespace
}  // namespace stiefel::test
