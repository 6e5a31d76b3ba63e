#include "stiefel/cli/solve/reordering.hpp"

#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/preconditioner/cholesky/cuthill_mckee.hpp"
#include "stiefel/preconditioner/cholesky/graph.hpp"
#include "stiefel/preconditioner/cholesky/ordering.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <utility>

namespace stiefel::cli {

namespace {

/// Of fewer rows, x stays in a cache however rows are numbered.
constexpr Index least_rows = 200000;
/// Entries of rows that are numbered by chance lie a third of all rows from the diagonal, those of grids and meshes
/// that are numbered along a line less than a hundredth.
constexpr double by_chance = 0.1;
/// Brought together: at most this share of the distance.
constexpr double worthwhile = 0.25;

/// Of the rows, from that of the graph's vertices.
HostVector<Index> order_of_rows(const cholesky::CompressedGraph& groups, const HostVector<Index>& vertices) {
    HostVector<Index> order(groups.rows.size());
    Size next = 0;
    for (const Index v : vertices) {
        for (Index k = groups.first_row[v]; k < groups.first_row[v + 1]; ++k) order[next++] = groups.rows[k];
    }
    return order;
}

/// The nodes of an order, of so many unknowns each, where the first of their unknowns comes in it; their unknowns one
/// behind the other.
HostVector<Index> with_whole_nodes(Index unknowns, HostVector<Index> order) {
    if (unknowns <= 1 || order.size() % unknowns != 0) return order;
    HostVector<Index> whole(order.size());
    HostVector<Index> is_there(order.size() / unknowns, 0);
    Size to = 0;
    for (const Index row : order) {
        const Index node = row / unknowns;
        if (std::exchange(is_there[node], 1) == 1) continue;
        for (Index c = 0; c < unknowns; ++c) whole[to++] = node * unknowns + c;
    }
    return whole;
}

}  // namespace

template <class T>
Distances distances(const HostCsr<T>& a, const HostVector<Index>& order) {
    constexpr Index sample = 16;
    const Index every = is_large(a.n_rows) ? sample : 1;
    HostVector<Index> place(order.size());
    for (Size k = 0; k < order.size(); ++k) place[order[k]] = static_cast<Index>(k);
    Distances found;
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; i += every) {
            for (Size e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
                const Index j = a.col_idx[e];
                found.sum += std::abs(place.empty() ? i - j : place[i] - place[j]);
            }
            found.count += static_cast<double>(row_ptr[i + 1] - row_ptr[i]);
        }
    });
    found.sum *= every;
    found.count *= every;
    return found;
}

bool is_large(Index n_rows) {
    return n_rows >= least_rows;
}

bool is_by_chance(double n_rows, const Distances& before) {
    return before.mean() >= by_chance * n_rows;
}

template <class T>
HostVector<Index> order_by(const HostCsr<T>& a, ReorderWord word, Index unknowns) {
    const cholesky::CompressedGraph groups = cholesky::compressed_graph(a);
    const HostVector<Index> vertices = word == ReorderWord::amd ? cholesky::minimum_degree(groups.graph)
                                                                : cholesky::reverse_cuthill_mckee(groups.graph);
    return with_whole_nodes(unknowns, order_of_rows(groups, vertices));
}

Reordering judged(ReorderWord asked, HostVector<Index> order, const Distances& before, const Distances& after) {
    const auto rows = [](const Distances& found) { return grouped(static_cast<Size>(std::llround(found.mean()))); };
    if (asked == ReorderWord::automatic && after.mean() > worthwhile * before.mean()) {
        return {.reason = fmt::format("no order brings rows that are coupled together: {} rows apart in the mean, {} "
                                      "by reverse Cuthill-McKee",
                                      rows(before), rows(after))};
    }
    return {.taken = asked == ReorderWord::amd ? ReorderWord::amd : ReorderWord::rcm,
            .order = std::move(order),
            .reason = fmt::format("rows that are coupled lie {} rows apart in the mean instead of {}", rows(after),
                                  rows(before))};
}

template <class T>
Reordering find_order(const HostCsr<T>& a, ReorderWord asked, Index unknowns) {
    if (asked == ReorderWord::none || a.n_rows == 0) return {};
    const bool is_automatic = asked == ReorderWord::automatic;
    if (is_automatic && !is_large(a.n_rows)) return {};
    const Distances before = distances(a, {});
    if (is_automatic && !is_by_chance(a.n_rows, before)) return {};
    HostVector<Index> order = order_by(a, asked, unknowns);
    const Distances after = distances(a, order);
    return judged(asked, std::move(order), before, after);
}

template Reordering find_order(const HostCsr<double>&, ReorderWord, Index);
template Reordering find_order(const HostCsr<float>&, ReorderWord, Index);
template Distances distances(const HostCsr<double>&, const HostVector<Index>&);
template HostVector<Index> order_by(const HostCsr<double>&, ReorderWord, Index);

}  // namespace stiefel::cli
