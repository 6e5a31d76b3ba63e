#include "stiefel/preconditioner/amg/pairs.hpp"

#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/random_spd.hpp"
#include "stiefel/problems/stencil27.hpp"

#include "support/laplacians.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace stiefel::test {
namespace {

using amg::lines_of;

TEST(AmgGridLines, AreThoseOfTheGrid) {
    OpenMP backend(1);
    constexpr Index one_line = amg::GridLines::none;
    const auto seven = lines_of(poisson3d<double>(backend, 9, 7, 5));
    EXPECT_EQ(seven.count, 3);
    EXPECT_EQ(seven.of(1).distance, 9);
    EXPECT_EQ(seven.of(9).distance, 63);
    EXPECT_EQ(seven.of(63).distance, one_line);
    EXPECT_EQ(seven.of(2).distance, 9) << "between pairs along x";
    EXPECT_EQ(seven.of(18).distance, 63) << "along y";
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

TEST(AmgGridLines, BeginWhereThoseOfTheWholeGridDo) {
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

}  // namespace
}  // namespace stiefel::test
