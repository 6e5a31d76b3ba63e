#include "stiefel/preconditioner/amg/ranks/rank_matrix.hpp"

#include "stiefel/spmv/products/row_offsets.hpp"
#include "stiefel/world/exchange.hpp"

#include <algorithm>
#include <utility>

namespace stiefel::amg {

HostCsr<double> with_ghosts(OpenMP& host, const SplitRows<double>& rows, const std::vector<Size>& ghosts) {
    const Index n = rows.own.n_rows, n_own = rows.own.n_cols;
    HostVector<Index> column(static_cast<Size>(rows.ghosts.size()));
    for (Size g = 0; g < column.size(); ++g) {
        const auto at = std::lower_bound(ghosts.begin(), ghosts.end(), rows.ghosts[static_cast<std::size_t>(g)]);
        column[g] = n_own + static_cast<Index>(at - ghosts.begin());
    }
    HostVector<Size> begin_beyond(Size{n} + 1), ends(Size{n} + 1);
    HostCsr<double> all{.n_rows = n,
                        .n_cols = n_own + static_cast<Index>(ghosts.size()),
                        .row_ptr = {},
                        .col_idx = HostVector<Index>(rows.nnz()),
                        .values = HostVector<double>(rows.nnz())};
    rows.own.row_ptr.visit([&](const auto* own_ptr) {
        rows.beyond.row_ptr.visit([&](const auto* beyond_ptr) {
            for (Size i = 0, b = 0; i <= n; ++i) {
                begin_beyond[i] = beyond_ptr[b];
                if (b < rows.boundary.size() && rows.boundary[b] == i) ++b;
            }
            ends[n] = rows.nnz();
#pragma omp parallel for num_threads(host.threads()) schedule(static) if (rows.nnz() > 20000)
            for (Index i = 0; i < n; ++i) {
                Size to = ends[i] = own_ptr[i] + begin_beyond[i];
                for (Size k = own_ptr[i]; k < own_ptr[i + 1]; ++k, ++to) {
                    all.col_idx[to] = rows.own.col_idx[k];
                    all.values[to] = rows.own.values[k];
                }
                for (Size k = begin_beyond[i]; k < begin_beyond[Size{i} + 1]; ++k, ++to) {
                    all.col_idx[to] = column[rows.beyond.col_idx[k]];
                    all.values[to] = rows.beyond.values[k];
                }
            }
        });
    });
    all.row_ptr = row_offsets(host, std::move(ends));
    return all;
}

WorldRows<double> in_world_numbers(OpenMP& host, const HostCsr<double>& rows, Size first, Index n_own,
                                   const std::vector<Size>& ghosts) {
    // Ascending: those of ranks before, those held here, those of ranks behind.
    const auto before = static_cast<Index>(std::lower_bound(ghosts.begin(), ghosts.end(), first) - ghosts.begin());
    const auto number_of = [&](Index j) { return j < n_own ? first + j : ghosts[static_cast<std::size_t>(j - n_own)]; };
    WorldRows<double> world{HostVector<Size>(Size{rows.n_rows} + 1), HostVector<Size>(rows.nnz()),
                            HostVector<double>(rows.nnz())};
    rows.row_ptr.visit([&](const auto* row_ptr) {
        world.row_ptr[rows.n_rows] = rows.nnz();
#pragma omp parallel for num_threads(host.threads()) schedule(static) if (rows.nnz() > 20000)
        for (Index i = 0; i < rows.n_rows; ++i) {
            const Index* const cols = rows.col_idx.data();
            const Index* const begin = cols + row_ptr[i];
            const Index* const end = cols + row_ptr[i + 1];
            const Index* const own_end = std::lower_bound(begin, end, n_own);
            const Index* const before_end = std::lower_bound(own_end, end, n_own + before);
            Size to = world.row_ptr[i] = row_ptr[i];
            const auto take = [&](const Index* from, const Index* until) {
                for (const Index* c = from; c != until; ++c, ++to) {
                    world.col_idx[to] = number_of(*c);
                    world.values[to] = rows.values[c - cols];
                }
            };
            take(own_end, before_end);
            take(begin, own_end);
            take(before_end, end);
        }
    });
    return world;
}

RowBlocks numbered(Ranks& ranks, Index count_here) {
    std::vector<Size> first{0};
    for (const Index count : told_to_all(ranks, count_here)) first.push_back(first.back() + count);
    return RowBlocks(std::move(first));
}

}  // namespace stiefel::amg
