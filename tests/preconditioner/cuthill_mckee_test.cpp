#include "stiefel/preconditioner/cholesky/cuthill_mckee.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/spmv/symmetric_permutation.hpp"

#include "support/dense_symbolic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

namespace stiefel::test {
namespace {

using cholesky::compressed_graph;
using cholesky::Graph;
using cholesky::reverse_cuthill_mckee;

void expect_permutation(const HostVector<Index>& order) {
    std::vector<Index> sorted(order.begin(), order.end());
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t k = 0; k < sorted.size(); ++k) ASSERT_EQ(sorted[k], static_cast<Index>(k));
}

/// The largest distance between the numbers of neighbours.
Index bandwidth(const Graph& graph, const HostVector<Index>& order) {
    std::vector<Index> place(static_cast<std::size_t>(graph.n));
    for (Index k = 0; k < graph.n; ++k) place[static_cast<std::size_t>(order[k])] = k;
    Index most = 0;
    for (Index v = 0; v < graph.n; ++v) {
        for (Size e = graph.start[v]; e < graph.start[v + 1]; ++e) {
            const auto w = static_cast<std::size_t>(graph.adjacent[e]);
            most = std::max(most, std::abs(place[static_cast<std::size_t>(v)] - place[w]));
        }
    }
    return most;
}

HostCsr<double> numbered_by_chance(OpenMP& host, const HostCsr<double>& a) {
    HostVector<Index> order(a.n_rows);
    for (Index k = 0; k < a.n_rows; ++k) order[k] = k;
    std::shuffle(order.begin(), order.end(), std::mt19937(7));
    return permuted(host, a, order);
}

TEST(CuthillMcKee, FindsTheBandOfAPathAndOfAGrid) {
    OpenMP host(1);
    const Graph path = compressed_graph(numbered_by_chance(host, poisson1d<double>(host, 100))).graph;
    EXPECT_EQ(bandwidth(path, reverse_cuthill_mckee(path)), 1);
    const Graph grid = compressed_graph(numbered_by_chance(host, poisson2d<double>(host, 30, 8))).graph;
    const HostVector<Index> order = reverse_cuthill_mckee(grid);
    expect_permutation(order);
    EXPECT_LE(bandwidth(grid, order), 9) << "levels are diagonals of the grid, of eight points";
}

/// Components follow each other, and vertices without neighbours are there as well.
TEST(CuthillMcKee, NumbersEveryComponent) {
    const Graph pieces = compressed_graph(random_spd(60, 0.7, 1, 0, 2)).graph;
    expect_permutation(reverse_cuthill_mckee(pieces));
    Graph none{.n = 5, .start = HostVector<Size>(6, 0), .adjacent = {}, .weight = HostVector<Index>(5, 1)};
    expect_permutation(reverse_cuthill_mckee(none));
    EXPECT_EQ(reverse_cuthill_mckee(Graph{.n = 0, .start = HostVector<Size>(1, 0)}).size(), 0);
}

/// Neighbours of few neighbours first, equal ones by number, then all backwards: a star with a tail, by hand.
TEST(CuthillMcKee, NumbersAStarByHand) {
    // 0 - 1, 0 - 2, 0 - 3, 3 - 4
    Graph star{
        .n = 5, .start = {0, 3, 4, 5, 7, 8}, .adjacent = {1, 2, 3, 0, 0, 0, 4, 3}, .weight = HostVector<Index>(5, 1)};
    // From 0 two levels follow, from 4 three, and from 1, at the rim that is seen from there, as many: 1, 0, 2, 3, 4.
    const HostVector<Index> order = reverse_cuthill_mckee(star);
    EXPECT_EQ(std::vector<Index>(order.begin(), order.end()), (std::vector<Index>{4, 3, 2, 0, 1}));
}

}  // namespace
}  // namespace stiefel::test
