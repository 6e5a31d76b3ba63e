// What is known of a factor before it is computed, against elimination of dense matrices of yes and no.

#include "stiefel/preconditioner/cholesky/elimination_tree.hpp"
#include "stiefel/preconditioner/cholesky/ordering.hpp"
#include "stiefel/preconditioner/cholesky/room_plan.hpp"
#include "stiefel/preconditioner/cholesky/schedule.hpp"
#include "stiefel/preconditioner/cholesky/supernodes.hpp"
#include "stiefel/preconditioner/cholesky/symbolic.hpp"
#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/poisson.hpp"

#include "support/dense_symbolic.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace stiefel::test {
namespace {

using cholesky::Graph;

/// f(matrix) for matrices that differ in what elimination makes of them.
template <class F>
void on_matrices(F&& f) {
    OpenMP maker(1);
    const auto with = [&](const char* what, const HostCsr<double>& a) {
        SCOPED_TRACE(what);
        f(a);
    };
    with("a grid", poisson2d<double>(maker, 9, 7));
    with("a path", poisson1d<double>(maker, 40));
    with("an elastic body, three unknowns a node", elasticity3d<double>(maker, 3, 2, 2));
    with("at random", random_spd(60, 3, 1, 0, 1));
    with("at random, in pieces", random_spd(60, 0.7, 1, 0, 2));
    with("rows of two", random_spd(30, 2, 2, 0, 3));
    with("full rows", random_spd(50, 2, 1, 2, 4));
    with("a diagonal", random_spd(20, 0, 1, 0, 5));
    with("full", random_spd(12, 12, 1, 12, 6));
    with("one row", random_spd(1, 0, 1, 0, 7));
}

/// Columns of the entries that a row has, zeros among them.
std::set<Index> columns_of(const HostCsr<double>& a, Index i) {
    return a.row_ptr.visit([&](const auto* row_ptr) {
        return std::set<Index>(a.col_idx.data() + row_ptr[i], a.col_idx.data() + row_ptr[i + 1]);
    });
}

bool couples(const Graph& graph, Index i, Index j) {
    const Index* const begin = graph.adjacent.data();
    return std::find(begin + graph.start[i], begin + graph.start[i + 1], j) != begin + graph.start[i + 1];
}

/// A without a third of its entries beside the diagonal, of each pair one at most.
HostCsr<double> one_sided(const HostCsr<double>& a) {
    std::vector<std::vector<std::pair<Index, double>>> rows(static_cast<std::size_t>(a.n_rows));
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                const Index j = a.col_idx[k];
                const Index pair = i + j;
                const bool is_left_out = pair % 3 == 0 && (pair % 2 == 0 ? i < j : i > j);
                if (!is_left_out) rows[static_cast<std::size_t>(i)].emplace_back(j, a.values[k]);
            }
        }
    });
    return csr_from_rows(a.n_cols, rows);
}

TEST(CholeskyGraph, IsThatOfBothTrianglesWhereTheyDiffer) {
    on_matrices([](const HostCsr<double>& a) {
        const auto whole = cholesky::compressed_graph(a), halves = cholesky::compressed_graph(one_sided(a));
        const auto list = [](const auto& v) { return std::vector(v.begin(), v.end()); };
        EXPECT_EQ(list(halves.rows), list(whole.rows));
        EXPECT_EQ(list(halves.first_row), list(whole.first_row));
        EXPECT_EQ(list(halves.graph.start), list(whole.graph.start));
        EXPECT_EQ(list(halves.graph.adjacent), list(whole.graph.adjacent));
        EXPECT_EQ(list(halves.graph.weight), list(whole.graph.weight));
    });
}

TEST(CholeskyGraph, JoinsRowsThatAreAlike) {
    on_matrices([](const HostCsr<double>& a) {
        const auto compressed = cholesky::compressed_graph(a);
        const auto row = [&](Index i) { return columns_of(a, i); };
        std::vector<Index> vertex(static_cast<std::size_t>(a.n_rows), -1);
        for (Index v = 0; v < compressed.graph.n; ++v) {
            EXPECT_EQ(compressed.graph.weight[v], compressed.first_row[v + 1] - compressed.first_row[v]);
            for (Index k = compressed.first_row[v]; k < compressed.first_row[v + 1]; ++k) {
                vertex[static_cast<std::size_t>(compressed.rows[k])] = v;
            }
        }
        for (Index i = 0; i < a.n_rows; ++i) {
            for (Index j = 0; j < i; ++j) {
                const Index u = vertex[static_cast<std::size_t>(i)], v = vertex[static_cast<std::size_t>(j)];
                EXPECT_EQ(u == v, row(i) == row(j)) << i << " " << j;
                EXPECT_EQ(u == v || couples(compressed.graph, u, v), row(i).contains(j)) << i << " " << j;
            }
        }
    });
}

/// Three unknowns at each node: two of three rows; of a grid with one none.
TEST(CholeskyGraph, RowsLikeTheLastAreGuessedWithoutAGraph) {
    OpenMP backend(2);
    const auto beam = elasticity3d<double>(backend, 4, 3, 3);
    const auto vertices = cholesky::compressed_graph(beam).graph.n;
    EXPECT_EQ(cholesky::rows_like_the_last(beam), beam.n_rows - vertices);
    EXPECT_EQ(cholesky::rows_like_the_last(poisson2d<double>(backend, 20, 20)), 0);
    EXPECT_EQ(cholesky::rows_like_the_last(HostCsr<double>{}), 0);
}

TEST(CholeskyOrdering, IsAPermutationOfLowFill) {
    OpenMP maker(1);
    const auto a = poisson2d<double>(maker, 30, 30);
    const auto graph = cholesky::compressed_graph(a).graph;
    HostVector<Index> order = cholesky::minimum_degree(graph);
    const auto nonzeros = [&](const Graph& ordered) {
        const auto tree = cholesky::elimination_tree(ordered);
        const auto after = cholesky::postorder(tree);
        const auto again = cholesky::renumbered(ordered, after);
        Size sum = 0;
        for (const Size count : cholesky::column_counts(again, cholesky::elimination_tree(again))) sum += count;
        return sum;
    };
    EXPECT_LT(2 * nonzeros(cholesky::renumbered(graph, order)), nonzeros(graph)) << "row by row fills the band";
    std::sort(order.begin(), order.end());
    for (Index v = 0; v < graph.n; ++v) ASSERT_EQ(order[v], v);
}

TEST(CholeskyTree, IsThatOfTheDenseFactor) {
    on_matrices([](const HostCsr<double>& a) {
        const auto graph = cholesky::compressed_graph(a).graph;
        const DenseFill fill(graph.n, [&](Index i, Index j) { return couples(graph, i, j); });
        const auto parent = cholesky::elimination_tree(graph);
        for (Index v = 0; v < graph.n; ++v) EXPECT_EQ(parent[v], fill.parent(v)) << v;
    });
}

TEST(CholeskyTree, PostorderKeepsSubtreesTogether) {
    const HostVector<Index> parent{5, 5, 4, 4, 6, 6, -1, 8, -1};
    const auto order = cholesky::postorder(parent);
    const std::vector<Index> expected{2, 3, 4, 0, 1, 5, 6, 7, 8};
    EXPECT_EQ(std::vector<Index>(order.begin(), order.end()), expected);
}

TEST(CholeskyTree, CountsAreThoseOfTheDenseFactor) {
    on_matrices([](const HostCsr<double>& a) {
        const auto natural = cholesky::compressed_graph(a).graph;
        const auto graph = cholesky::renumbered(natural, cholesky::postorder(cholesky::elimination_tree(natural)));
        const DenseFill fill(graph.n, [&](Index i, Index j) { return couples(graph, i, j); });
        const auto counts = cholesky::column_counts(graph, cholesky::elimination_tree(graph));
        for (Index j = 0; j < graph.n; ++j) {
            Size expected = 0;
            for (Index i = j; i < graph.n; ++i) expected += fill(i, j) ? graph.weight[i] : 0;
            EXPECT_EQ(counts[j], expected) << j;
        }
    });
}

/// Every nonzero of the factor has a place, and rows below a block are those that its columns have.
TEST(CholeskySymbolic, HoldsTheDenseFactor) {
    on_matrices([](const HostCsr<double>& a) {
        const cholesky::Analysis analysis(cholesky::compressed_graph(a));
        const cholesky::Symbolic symbolic = analysis.symbolic();
        const DenseFill fill(
            a.n_rows, [&](Index i, Index j) { return columns_of(a, symbolic.order[i]).contains(symbolic.order[j]); });
        Size nonzeros = 0, stored = 0;
        for (Index s = 0; s < symbolic.size(); ++s) {
            const Index end = symbolic.first_column[s + 1];
            std::set<Index> below;
            for (Index j = symbolic.first_column[s]; j < end; ++j) {
                for (Index i = j; i < a.n_rows; ++i) {
                    nonzeros += fill(i, j) ? 1 : 0;
                    if (i >= end && fill(i, j)) below.insert(i);
                }
            }
            const std::vector<Index> rows(symbolic.rows.data() + symbolic.row_start[s],
                                          symbolic.rows.data() + symbolic.row_start[s + 1]);
            EXPECT_EQ(rows, std::vector<Index>(below.begin(), below.end())) << s;
            stored += cholesky::trapezoid(symbolic.width(s), symbolic.width(s) + symbolic.height(s));
        }
        EXPECT_EQ(static_cast<double>(nonzeros), analysis.prediction().nonzeros);
        EXPECT_EQ(stored, symbolic.nonzeros);
    });
}

TEST(CholeskySymbolic, TreeOfSupernodesIsConsistent) {
    on_matrices([](const HostCsr<double>& a) {
        const cholesky::Symbolic symbolic = cholesky::Analysis(cholesky::compressed_graph(a)).symbolic();
        std::vector<Index> seen;
        for (Index s = 0; s < symbolic.size(); ++s) {
            const Index parent = symbolic.parent[s];
            EXPECT_EQ(parent == -1, symbolic.height(s) == 0);
            Index below = s;
            for (Index c = symbolic.first_child[s]; c != -1; c = symbolic.next_sibling[c]) {
                EXPECT_EQ(symbolic.parent[c], s);
                below = std::min(below, symbolic.first_below[c]);
                seen.push_back(c);
            }
            EXPECT_EQ(symbolic.first_below[s], below);
            if (parent == -1) continue;
            EXPECT_GT(parent, s);
            for (Size k = symbolic.row_start[s]; k < symbolic.row_start[s + 1]; ++k) {
                const Index at = symbolic.in_parent[k], width = symbolic.width(parent);
                EXPECT_EQ(symbolic.rows[k], at < width ? symbolic.first_column[parent] + at
                                                       : symbolic.rows[symbolic.row_start[parent] + at - width]);
            }
        }
        std::sort(seen.begin(), seen.end());
        EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end()) << "children have one parent";
        for (Index i = 0; i < symbolic.n; ++i) EXPECT_EQ(symbolic.place[symbolic.order[i]], i);
    });
}

/// Whatever is held at once lies apart, and gaps are used again.
TEST(CholeskyRoomPlan, GivesOutNothingTwice) {
    cholesky::RoomPlan plan;
    Random random(3);
    std::vector<std::pair<Size, Size>> held;
    Size most = 0, now = 0;
    for (int step = 0; step < 2000; ++step) {
        if (held.size() < 3 || (held.size() < 40 && random() < 0)) {
            const Size size = random.below(100);
            const Size at = plan.take(size);
            for (const auto& [other, width] : held) EXPECT_TRUE(at + size <= other || other + width <= at || size == 0);
            if (size > 0) held.emplace_back(at, size);
            now += size;
        } else {
            const auto one = held.begin() + random.below(static_cast<Index>(held.size()));
            plan.give(one->first, one->second);
            now -= one->second;
            held.erase(one);
        }
        most = std::max(most, now);
        EXPECT_GE(plan.length(), most);
    }
    EXPECT_LT(plan.length(), 2 * most);
    for (const auto& [at, size] : held) plan.give(at, size);
    const Size all = plan.length();
    EXPECT_EQ(plan.take(all), 0) << "gaps have grown together";
    EXPECT_EQ(plan.length(), all);
}

/// Every supernode is somebody's, once, and what all share lies above what threads do alone.
TEST(CholeskySchedule, GivesOutEverySupernodeOnce) {
    OpenMP maker(1);
    const auto symbolic = cholesky::Analysis(cholesky::compressed_graph(poisson2d<double>(maker, 60, 60))).symbolic();
    for (const int threads : {1, 2, 5}) {
        const cholesky::Schedule schedule = cholesky::make_schedule(symbolic, threads);
        std::vector<Index> all = schedule.top;
        for (const Index root : schedule.subtrees) {
            for (Index s = symbolic.first_below[root]; s <= root; ++s) all.push_back(s);
        }
        std::sort(all.begin(), all.end());
        ASSERT_EQ(static_cast<Index>(all.size()), symbolic.size()) << threads;
        for (Index s = 0; s < symbolic.size(); ++s) ASSERT_EQ(all[static_cast<std::size_t>(s)], s);
        EXPECT_EQ(schedule.top.empty(), threads == 1);
        EXPECT_GE(schedule.subtrees.size(), static_cast<std::size_t>(threads));
        for (const Index s : schedule.top) {
            const Index parent = symbolic.parent[s];
            EXPECT_TRUE(parent == -1 || std::binary_search(schedule.top.begin(), schedule.top.end(), parent));
        }
    }
}

}  // namespace
}  // namespace stiefel::test
