#include "stiefel/preconditioner/amg/ranks/rank_gather.hpp"

#include "stiefel/preconditioner/amg/ghosts.hpp"
#include "stiefel/preconditioner/amg/ranks/rank_matrix.hpp"
#include "stiefel/world/exchange.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace stiefel::amg {

namespace {

enum class Who { all, first };

/// What all ranks have, one after the other, for those who are to have it.
template <class V>
std::vector<V> of_all(Ranks& ranks, const HostVector<V>& here, Who who) {
    Ranks::Bytes said = bytes_of(std::span<const V>(here.data(), static_cast<std::size_t>(here.size())));
    std::vector<V> all;
    for (const Ranks::Bytes& bytes : who == Who::all ? told_to_all(ranks, said) : told_to_first(ranks, std::move(said)))
        append_values(bytes, all);
    return all;
}

/// n_rows x n: the rows from `offset` on are those of the identity, the others are empty.
HostCsr<double> embedding(Index n_rows, Index n, Index offset) {
    HostVector<std::int32_t> row_ptr(Size{n_rows} + 1);
    HostCsr<double> a{.n_rows = n_rows,
                      .n_cols = n,
                      .row_ptr = {},
                      .col_idx = HostVector<Index>(n),
                      .values = HostVector<double>(n, 1.0)};
    for (Index i = 0; i <= n_rows; ++i) row_ptr[i] = std::clamp(i - offset, 0, n);
    for (Index j = 0; j < n; ++j) a.col_idx[j] = j;
    a.row_ptr = RowOffsets<HostMemory>(std::move(row_ptr));
    return a;
}

HostCsr<double> matrix_of(Ranks& ranks, const RowBlocks& rows, const SplitRows<double>& a, Who who) {
    const Index n = rows.n_rows_of(ranks.rank()), n_all = static_cast<Index>(rows.n_rows());
    OpenMP host(1);
    const WorldRows<double> here =
        in_world_numbers(host, with_ghosts(host, a, a.ghosts), rows.first(ranks.rank()), n, a.ghosts);
    HostVector<Size> lengths(n);
    for (Index i = 0; i < n; ++i) lengths[i] = here.row_ptr[Size{i} + 1] - here.row_ptr[i];
    const std::vector<Size> all_lengths = of_all(ranks, lengths, who), columns = of_all(ranks, here.col_idx, who);
    const std::vector<double> values = of_all(ranks, here.values, who);
    if (who == Who::first && ranks.rank() != 0) return {};

    const Size nnz = static_cast<Size>(values.size());
    HostVector<Size> ends(Size{n_all} + 1);
    ends[0] = 0;
    for (Size i = 0; i < n_all; ++i) ends[i + 1] = ends[i] + all_lengths[static_cast<std::size_t>(i)];
    HostCsr<double> all{.n_rows = n_all,
                        .n_cols = n_all,
                        .row_ptr = RowOffsets<HostMemory>(std::move(ends)),
                        .col_idx = HostVector<Index>(nnz),
                        .values = HostVector<double>(nnz)};
    std::transform(columns.begin(), columns.end(), all.col_idx.data(), [](Size j) { return static_cast<Index>(j); });
    std::copy(values.begin(), values.end(), all.values.data());
    return all;
}

}  // namespace

HostVector<double> brought_from(Ranks& ranks, const RowBlocks& blocks, const std::vector<Size>& numbers,
                                const HostVector<double>& own) {
    Ghosts others(ranks, blocks, numbers);
    HostVector<double> all(own.size() + others.count());
    std::copy_n(own.data(), own.size(), all.data());
    others.bring(all);
    HostVector<double> theirs(others.count());
    std::copy_n(all.data() + own.size(), theirs.size(), theirs.data());
    return theirs;
}

HostCsr<double> gathered_matrix(Ranks& ranks, const RowBlocks& rows, const SplitRows<double>& a) {
    return matrix_of(ranks, rows, a, Who::all);
}

HostCsr<double> matrix_of_first(Ranks& ranks, const RowBlocks& rows, const SplitRows<double>& a) {
    return matrix_of(ranks, rows, a, Who::first);
}

HostVector<double> gathered_values(Ranks& ranks, const HostVector<double>& here) {
    const std::vector<double> all = of_all(ranks, here, Who::all);
    HostVector<double> values(static_cast<Size>(all.size()));
    std::copy(all.begin(), all.end(), values.data());
    return values;
}

SplitRows<double> gathering(const RowBlocks& rows, int rank) {
    const Index n = rows.n_rows_of(rank), n_all = static_cast<Index>(rows.n_rows()), n_others = n_all - n;
    const auto first = static_cast<Index>(rows.first(rank));
    SplitRows<double> whole{.own = embedding(n_all, n, first),
                            .beyond = embedding(n_others, n_others, 0),
                            .boundary = HostVector<Index>(n_others),
                            .ghosts = {}};
    for (Index i = 0; i < n_all; ++i) {
        if (i >= first && i < first + n) continue;
        whole.boundary[static_cast<Size>(whole.ghosts.size())] = i;
        whole.ghosts.push_back(i);
    }
    return whole;
}

}  // namespace stiefel::amg
