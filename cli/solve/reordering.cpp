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

/// From the diagonal, the mean of the entries of every so-manieth row; place: the new number of a row, or null.
template <class T>
double mean_distance(const HostCsr<T>& a, const Index* place, Index every) {
    double sum = 0, count = 0;
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; i += every) {
            for (Size e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
                const Index j = a.col_idx[e];
                sum += std::abs(place == nullptr ? i - j : place[i] - place[j]);
            }
            count += static_cast<double>(row_ptr[i + 1] - row_ptr[i]);
        }
    });
    return count > 0 ? sum / count : 0;
}

/// Of the rows, from that of the graph's vertices.
HostVector<Index> order_of_rows(const cholesky::CompressedGraph& groups, const HostVector<Index>& vertices) {
    HostVector<Index> order(groups.rows.size());
    Size next = 0;
    for (const Index v : vertices) {
        for (Index k = groups.first_row[v]; k < groups.first_row[v + 1]; ++k) order[next++] = groups.rows[k];
    }
    return order;
}

}  // namespace

template <class T>
Reordering find_order(const HostCsr<T>& a, ReorderWord asked) {
    if (asked == ReorderWord::none || a.n_rows == 0) return {};
    constexpr Index sample = 16;
    const Index every = a.n_rows < least_rows ? 1 : sample;
    const bool is_automatic = asked == ReorderWord::automatic;
    if (is_automatic && a.n_rows < least_rows) return {};
    const double before = mean_distance(a, nullptr, every);
    if (is_automatic && before < by_chance * a.n_rows) return {};

    const cholesky::CompressedGraph groups = cholesky::compressed_graph(a);
    HostVector<Index> order =
        order_of_rows(groups, asked == ReorderWord::amd ? cholesky::minimum_degree(groups.graph)
                                                        : cholesky::reverse_cuthill_mckee(groups.graph));
    HostVector<Index> place(order.size());
    for (Size k = 0; k < order.size(); ++k) place[order[k]] = static_cast<Index>(k);
    const double after = mean_distance(a, place.data(), every);
    const auto rows = [](double distance) { return grouped(static_cast<Size>(std::llround(distance))); };
    if (is_automatic && after > worthwhile * before) {
        return {.reason = fmt::format("no order brings rows that are coupled together: {} rows apart in the mean, {} "
                                      "by reverse Cuthill-McKee",
                                      rows(before), rows(after))};
    }
    return {.taken = asked == ReorderWord::amd ? ReorderWord::amd : ReorderWord::rcm,
            .order = std::move(order),
            .reason = fmt::format("rows that are coupled lie {} rows apart in the mean instead of {}", rows(after),
                                  rows(before))};
}

template Reordering find_order(const HostCsr<double>&, ReorderWord);
template Reordering find_order(const HostCsr<float>&, ReorderWord);

}  // namespace stiefel::cli
