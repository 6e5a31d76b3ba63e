#include "stiefel/preconditioner/amg/ranks/rank_products.hpp"

#include "stiefel/preconditioner/amg/ranks/rank_matrix.hpp"
#include "stiefel/spmv/products/row_offsets.hpp"
#include "stiefel/spmv/products/spgemm.hpp"
#include "stiefel/spmv/scan.hpp"
#include "stiefel/world/entries.hpp"
#include "stiefel/world/exchange.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace stiefel::amg {

namespace {

/// Rows of P as they travel: how long each is, its columns in the numbers of all ranks, its values.
struct TravellingRows {
    std::vector<Size> lengths, columns;
    std::vector<double> values;

    void add(const WorldRows<double>& p, Size row) {
        const Size begin = p.row_ptr[row], end = p.row_ptr[row + 1];
        lengths.push_back(end - begin);
        columns.insert(columns.end(), p.col_idx.data() + begin, p.col_idx.data() + end);
        values.insert(values.end(), p.values.data() + begin, p.values.data() + end);
    }
};

/// Of each neighbour, what append() takes of what it has been sent; in the order of ghosts.
template <class T>
std::vector<T> exchanged(Ranks& ranks, const std::vector<std::vector<T>>& out) {
    std::vector<Ranks::Bytes> bytes;
    for (const auto& values : out) bytes.push_back(bytes_of(std::span(values)));
    std::vector<T> in;
    for (const Ranks::Bytes& from : ranks.all_to_all(bytes)) append_values(from, in);
    return in;
}

/// The rows of P of the nodes of others that this rank is coupled to.
TravellingRows ghost_rows(Ranks& ranks, const WorldRows<double>& p, const Ghosts& nodes, Index block) {
    const auto n_ranks = static_cast<std::size_t>(ranks.size());
    std::vector<std::vector<Size>> lengths(n_ranks), columns(n_ranks);
    std::vector<std::vector<double>> values(n_ranks);
    for (const Halo::Share& to : nodes.halo().to()) {
        TravellingRows rows;
        for (Size i = to.first; i < to.first + to.n; ++i) {
            for (Index c = 0; c < block; ++c) rows.add(p, Size{nodes.halo().sent()[i]} * block + c);
        }
        const auto rank = static_cast<std::size_t>(to.rank);
        lengths[rank] = std::move(rows.lengths);
        columns[rank] = std::move(rows.columns);
        values[rank] = std::move(rows.values);
    }
    return {exchanged(ranks, lengths), exchanged(ranks, columns), exchanged(ranks, values)};
}

/// Ascending, each once, without those of first .. last.
std::vector<Size> outside(const std::vector<Size>& some, const std::vector<Size>& more, Size first, Size last) {
    std::vector<Size> all(some);
    std::copy_if(more.begin(), more.end(), std::back_inserter(all), [&](Size j) { return j < first || j >= last; });
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

Index place_of(const std::vector<Size>& ascending, Size number) {
    return static_cast<Index>(std::lower_bound(ascending.begin(), ascending.end(), number) - ascending.begin());
}

/// P of this rank's rows, and below it the rows of ghosts, with the rank's own columns and behind them `ghosts`.
HostCsr<double> stacked(OpenMP& host, const RankProlongation& own, const TravellingRows& below,
                        const std::vector<Size>& ghosts, Size first, Index n_own) {
    std::vector<Index> renumbered;  // a ghost of P among all
    for (const Size number : own.ghosts) renumbered.push_back(n_own + place_of(ghosts, number));
    const Size n_below = static_cast<Size>(below.lengths.size()), n = own.p.n_rows;
    const Size nnz = own.p.nnz() + static_cast<Size>(below.values.size());
    HostVector<Size> ends(n + n_below + 1);
    HostCsr<double> all{.n_rows = static_cast<Index>(n + n_below),
                        .n_cols = n_own + static_cast<Index>(ghosts.size()),
                        .row_ptr = {},
                        .col_idx = HostVector<Index>(nnz),
                        .values = HostVector<double>(nnz)};
    own.p.row_ptr.visit([&](const auto* row_ptr) { std::copy_n(row_ptr, n + 1, ends.data()); });
#pragma omp parallel for num_threads(host.threads()) schedule(static) if (own.p.nnz() > 20000)
    for (Size k = 0; k < own.p.nnz(); ++k) {
        const Index j = own.p.col_idx[k];
        all.col_idx[k] = j < n_own ? j : renumbered[static_cast<std::size_t>(j - n_own)];
        all.values[k] = own.p.values[k];
    }
    Size to = own.p.nnz(), from = 0;
    for (Size i = 0; i < n_below; ++i) {
        for (Size k = 0; k < below.lengths[static_cast<std::size_t>(i)]; ++k, ++to, ++from) {
            const Size number = below.columns[static_cast<std::size_t>(from)];
            const bool is_own = number >= first && number < first + n_own;
            all.col_idx[to] = is_own ? static_cast<Index>(number - first) : n_own + place_of(ghosts, number);
            all.values[to] = below.values[static_cast<std::size_t>(from)];
        }
        ends[n + i + 1] = to;
    }
    all.row_ptr = row_offsets(host, std::move(ends));
    return all;
}

/// f(column, value) for a row of the sum of two matrices.
template <class BOffset, class F>
void for_sum(const WorldRows<double>& a, const HostCsr<double>& b, const BOffset* b_ptr, Index i, F&& f) {
    Size k = a.row_ptr[i], l = b_ptr[i];
    const Size k_end = a.row_ptr[Size{i} + 1], l_end = b_ptr[i + 1];
    while (k < k_end || l < l_end) {
        const bool takes_a = l == l_end || (k < k_end && a.col_idx[k] <= b.col_idx[l]);
        const bool takes_b = k == k_end || (l < l_end && b.col_idx[l] <= a.col_idx[k]);
        f(takes_a ? a.col_idx[k] : b.col_idx[l], (takes_a ? a.values[k] : 0) + (takes_b ? b.values[l] : 0));
        k += takes_a;
        l += takes_b;
    }
}

/// The first rows of one matrix, and another of as many.
WorldRows<double> sum(OpenMP& host, const WorldRows<double>& a, const HostCsr<double>& b) {
    const Index n = b.n_rows;
    WorldRows<double> all{HostVector<Size>(Size{n} + 1), {}, {}};
    b.row_ptr.visit([&](const auto* b_ptr) {
        all.row_ptr[0] = 0;
#pragma omp parallel for num_threads(host.threads()) schedule(static) if (a.nnz() > 20000)
        for (Index i = 0; i < n; ++i) {
            Size length = 0;
            for_sum(a, b, b_ptr, i, [&](Size, double) { ++length; });
            all.row_ptr[Size{i} + 1] = length;
        }
        inclusive_scan(host, all.row_ptr.data(), all.row_ptr.size());
        all.col_idx = HostVector<Size>(all.row_ptr[n]);
        all.values = HostVector<double>(all.row_ptr[n]);
#pragma omp parallel for num_threads(host.threads()) schedule(static) if (a.nnz() > 20000)
        for (Index i = 0; i < n; ++i) {
            Size to = all.row_ptr[i];
            for_sum(a, b, b_ptr, i, [&](Size column, double value) {
                all.col_idx[to] = column;
                all.values[to++] = value;
            });
        }
    });
    return all;
}

/// Rows and columns as a rank numbers them: its own, then those of others.
struct Numbers {
    const RowBlocks& blocks;
    const std::vector<Size>& ghosts;
};

/// Rows of a matrix to whose entries several ranks contribute: those of other ranks go there, and what they have for
/// this one is added.
SplitRows<double> brought_together(OpenMP& host, Ranks& ranks, const HostCsr<double>& part, Numbers rows,
                                   Numbers columns) {
    const int rank = ranks.rank();
    const Index n_rows = rows.blocks.n_rows_of(rank), n_cols = columns.blocks.n_rows_of(rank);
    const WorldRows<double> all = in_world_numbers(host, part, columns.blocks.first(rank), n_cols, columns.ghosts);
    const Size own_end = all.row_ptr[n_rows], n_sent = all.nnz() - own_end;
    Coo<double> sent{.n_rows = static_cast<Index>(rows.blocks.n_rows()),
                     .n_cols = static_cast<Index>(columns.blocks.n_rows()),
                     .row_idx = HostVector<Index>(n_sent),
                     .col_idx = HostVector<Index>(n_sent),
                     .values = HostVector<double>(n_sent)};
    Size to = 0;
    for (Index i = n_rows; i < part.n_rows; ++i) {
        const Size number = rows.ghosts[static_cast<std::size_t>(i - n_rows)];
        for (Size k = all.row_ptr[i]; k < all.row_ptr[Size{i} + 1]; ++k, ++to) {
            sent.row_idx[to] = static_cast<Index>(number);
            sent.col_idx[to] = static_cast<Index>(all.col_idx[k]);
            sent.values[to] = all.values[k];
        }
    }
    const HostCsr<double> received = rows_of_rank(host, ranks, rows.blocks, std::move(sent)).csr;
    return split_rows(sum(host, all, received), columns.blocks, rank, host.threads());
}

}  // namespace

RankProducts rank_products(OpenMP& host, Ranks& ranks, const RowBlocks& rows, const HostCsr<double>& a,
                           const Ghosts& nodes, Index block, RankProlongation prolongation, double divisor) {
    const int rank = ranks.rank();
    const RowBlocks& columns = prolongation.columns;
    const Size first = columns.first(rank);
    const Index n_own = columns.n_rows_of(rank);
    const WorldRows<double> p = in_world_numbers(host, prolongation.p, first, n_own, prolongation.ghosts);
    const TravellingRows below = ghost_rows(ranks, p, nodes, block);
    const std::vector<Size> ghosts = outside(prolongation.ghosts, below.columns, first, first + n_own);

    HostCsr<double> coarse;
    {
        const HostCsr<double> all = stacked(host, prolongation, below, ghosts, first, n_own);
        const HostCsr<double> of_own = stacked(host, prolongation, {}, ghosts, first, n_own);
        coarse = spgemm(host, transpose(host, of_own), spgemm(host, a, all));
    }
    if (divisor != 1) {
        for (double& value : coarse.values.span()) value /= divisor;
    }
    const std::vector<Size> none;
    return {.prolongation = split_rows(p, columns, rank, host.threads()),
            .restriction = brought_together(host, ranks, transpose(host, prolongation.p),
                                            {columns, prolongation.ghosts}, {rows, none}),
            .a = brought_together(host, ranks, coarse, {columns, ghosts}, {columns, ghosts})};
}

}  // namespace stiefel::amg
