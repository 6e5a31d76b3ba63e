#include "stiefel/cli/ranks/rank_order.hpp"

#include "stiefel/cli/ranks/together.hpp"
#include "stiefel/preconditioner/amg/ranks/rank_nodes.hpp"
#include "stiefel/world/reordered_rows.hpp"

#include <fmt/format.h>

#include <utility>

namespace stiefel::cli {

namespace {

/// Whether `auto` looks at how rows are numbered: x of every rank that has any is larger than a cache. Known to all.
bool are_large(const RowBlocks& blocks) {
    for (int rank = 0; rank < blocks.n_ranks(); ++rank) {
        const Index n = blocks.n_rows_of(rank);
        if (n > 0 && !is_large(n)) return false;
    }
    return true;
}

double mean_rows(const RowBlocks& blocks) {
    int n_with_rows = 0;
    for (int rank = 0; rank < blocks.n_ranks(); ++rank) n_with_rows += blocks.n_rows_of(rank) > 0 ? 1 : 0;
    return static_cast<double>(blocks.n_rows()) / n_with_rows;
}

/// In the columns that ranks hold, of all of them.
Distances distances_of_all(Ranks& ranks, const HostCsr<double>& own, const HostVector<Index>& order) {
    Distances found;
    together(ranks, [&] { found = distances(own, order); });
    double sums[2] = {found.sum, found.count};
    ranks.all_sum(sums, 2);
    return {sums[0], sums[1]};
}

/// Of the rows of this rank, whole nodes.
HostVector<Index> order_here(Ranks& ranks, OpenMP& host, ReorderWord asked, Index unknowns, const RankMatrix& matrix) {
    const HostCsr<double>& own = matrix.rows.own;
    if (unknowns == 0) unknowns = amg::found_unknowns(ranks, host, matrix.blocks, own);
    HostVector<Index> order;
    together(ranks, [&] {
        if (own.n_rows > 0) order = order_by(own, asked, unknowns);
    });
    return order;
}

}  // namespace

void reorder_rows(Ranks& ranks, OpenMP& host, ReorderWord asked, Index unknowns, RankMatrix& matrix,
                  SolveReport::Method& method) {
    if (asked == ReorderWord::none || matrix.n_rows() == 0) return;
    const bool is_automatic = asked == ReorderWord::automatic;
    if (is_automatic && !are_large(matrix.blocks)) return;
    const Distances before = distances_of_all(ranks, matrix.rows.own, {});
    if (is_automatic && !is_by_chance(mean_rows(matrix.blocks), before)) return;
    HostVector<Index> order = order_here(ranks, host, asked, unknowns, matrix);
    const Distances after = distances_of_all(ranks, matrix.rows.own, order);
    Reordering found = judged(asked, std::move(order), before, after);
    method.reorder = word_of<ReorderWord>(found.taken, reorder_choices);
    method.reorder_reason = fmt::format("within each rank, {}", found.reason);
    if (found.taken == ReorderWord::none) return;
    HostVector<Size> numbers(found.order.size());
    for (Size k = 0; k < numbers.size(); ++k) numbers[k] = matrix.number_in_file(ranks.rank(), found.order[k]);
    matrix.order = std::move(numbers);
    matrix.rows = reordered(ranks, host, matrix.blocks, std::move(matrix.rows), found.order);
}

}  // namespace stiefel::cli
