#include "stiefel/world/reordered_rows.hpp"

#include "stiefel/spmv/products/row_offsets.hpp"
#include "stiefel/spmv/sort_row.hpp"
#include "stiefel/spmv/symmetric_permutation.hpp"
#include "stiefel/world/halo.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace stiefel {

namespace {

/// What is in ascending order of its new numbers: order[k] is the place before of what is k-th now.
template <class NumberOf>
std::vector<Index> ascending(Index n, NumberOf&& number_of) {
    std::vector<Index> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](Index a, Index b) { return number_of(a) < number_of(b); });
    return order;
}

/// The new numbers of the ghosts, from the ranks that hold them. here: those of this rank's rows.
HostVector<Size> numbers_of_ghosts(Ranks& ranks, OpenMP& host, const RowBlocks& blocks, const std::vector<Size>& ghosts,
                                   const HostVector<Size>& here) {
    HostVector<Size> there(static_cast<Size>(ghosts.size()));
    Halo halo(ranks, blocks, ghosts);
    halo.begin(host, HostMatrix<const Size>{here.data(), static_cast<Index>(here.size()), 1, 1}, there.data());
    halo.end();
    return there;
}

/// rows: which of them comes k-th; column_of: the new number of each column.
HostCsr<double> renumbered(OpenMP& host, const HostCsr<double>& a, const std::vector<Index>& rows,
                           const HostVector<Index>& column_of) {
    HostCsr<double> result{.n_rows = a.n_rows,
                           .n_cols = a.n_cols,
                           .col_idx = HostVector<Index>(a.nnz()),
                           .values = HostVector<double>(a.nnz())};
    HostVector<Size> ends(Size{a.n_rows} + 1);
    RowSorter<double> sorter;
    Size to = ends[0] = 0;
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index k = 0; k < a.n_rows; ++k) {
            const Index i = rows[static_cast<std::size_t>(k)];
            for (Size e = row_ptr[i]; e < row_ptr[i + 1]; ++e, ++to) {
                result.col_idx[to] = column_of[a.col_idx[e]];
                result.values[to] = a.values[e];
            }
            sorter.sort_and_merge(result.col_idx.data() + ends[k], result.values.data() + ends[k], to - ends[k]);
            ends[Size{k} + 1] = to;
        }
    });
    result.row_ptr = row_offsets(host, std::move(ends));
    return result;
}

}  // namespace

SplitRows<double> reordered(Ranks& ranks, OpenMP& host, const RowBlocks& blocks, SplitRows<double> rows,
                            const HostVector<Index>& order) {
    SplitRows<double> result;
    result.own = permuted(host, rows.own, order);
    rows.own = {};
    const Size first = blocks.first(ranks.rank());
    HostVector<Size> numbers(order.size());
    for (Size k = 0; k < order.size(); ++k) numbers[order[k]] = first + k;
    const HostVector<Size> of_ghosts = numbers_of_ghosts(ranks, host, blocks, rows.ghosts, numbers);

    const auto n_ghosts = static_cast<Index>(rows.ghosts.size());
    HostVector<Index> place_of_ghost(n_ghosts);
    for (const Index ghost : ascending(n_ghosts, [&](Index g) { return of_ghosts[g]; })) {
        place_of_ghost[ghost] = static_cast<Index>(result.ghosts.size());
        result.ghosts.push_back(of_ghosts[ghost]);
    }
    const auto n_boundary = static_cast<Index>(rows.boundary.size());
    const std::vector<Index> boundary = ascending(n_boundary, [&](Index b) { return numbers[rows.boundary[b]]; });
    result.boundary = HostVector<Index>(n_boundary);
    for (Index b = 0; b < n_boundary; ++b) {
        const Index before = rows.boundary[boundary[static_cast<std::size_t>(b)]];
        result.boundary[b] = static_cast<Index>(numbers[before] - first);
    }
    result.beyond = renumbered(host, rows.beyond, boundary, place_of_ghost);
    return result;
}

}  // namespace stiefel
