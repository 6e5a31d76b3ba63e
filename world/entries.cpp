#include "stiefel/world/entries.hpp"

#include "stiefel/world/exchange.hpp"
#include "stiefel/world/node_blocks.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace stiefel {

namespace {

struct Entry {
    Index row;
    Index col;
    double value;
};

/// Calls f(row, col, value) for all entries that the stored ones stand for.
template <class F>
void for_expanded(const Coo<double>& entries, F&& f) {
    const bool expands = entries.symmetry != Symmetry::general;
    const double mirrored = entries.symmetry == Symmetry::skew_symmetric ? -1 : 1;
    for (Size e = 0; e < entries.n_entries(); ++e) {
        const Index i = entries.row_idx[e], j = entries.col_idx[e];
        f(i, j, entries.values[e]);
        if (expands && i != j) f(j, i, mirrored * entries.values[e]);
    }
}

}  // namespace

RowBlocks balanced_blocks(Ranks& ranks, const Coo<double>& entries, Index unknowns) {
    constexpr double of_entry = 12, of_row = 84;
    const Size n = entries.n_rows, unit = rows_to_begin_at(n, ranks.size(), unknowns);
    const Size n_units = (n + unit - 1) / unit, n_buckets = std::clamp<Size>(n_units, 1, 1 << 14);
    const auto first_row = [&](Size bucket) { return std::min(n, n_units * bucket / n_buckets * unit); };
    // The bucket of a row is the last whose first row is not behind it.
    const auto bucket_of = [&](Size row) { return ((row / unit + 1) * n_buckets - 1) / n_units; };
    std::vector<double> weights(static_cast<std::size_t>(n_buckets), 0.0);
    for_expanded(entries,
                 [&](Index row, Index, double) { weights[static_cast<std::size_t>(bucket_of(row))] += of_entry; });
    ranks.all_sum(weights.data(), n_buckets);
    double all = 0;
    for (Size k = 0; k < n_buckets; ++k) {
        weights[static_cast<std::size_t>(k)] += of_row * static_cast<double>(first_row(k + 1) - first_row(k));
        all += weights[static_cast<std::size_t>(k)];
    }
    std::vector<Size> first{0};
    double before = 0;
    for (Size k = 0; k < n_buckets; ++k) {
        const double weight = weights[static_cast<std::size_t>(k)];
        // A rank begins where more than half of the bucket belongs to it.
        while (static_cast<int>(first.size()) < ranks.size() &&
               before + weight / 2 >= all * static_cast<double>(first.size()) / ranks.size()) {
            first.push_back(first_row(k));
        }
        before += weight;
    }
    first.resize(static_cast<std::size_t>(ranks.size()) + 1, n);
    return RowBlocks(std::move(first));
}

CsrFromCoo<double> rows_of_rank(OpenMP& host, Ranks& ranks, const RowBlocks& blocks, Coo<double> entries) {
    const auto n_ranks = static_cast<std::size_t>(ranks.size());
    std::vector<Size> counts(n_ranks, 0);
    const auto owner = [&](Index row) { return static_cast<std::size_t>(blocks.owner(row)); };
    for_expanded(entries, [&](Index row, Index, double) { ++counts[owner(row)]; });
    std::vector<Ranks::Bytes> out(n_ranks);
    for (std::size_t r = 0; r < n_ranks; ++r) out[r].reserve(static_cast<std::size_t>(counts[r]) * sizeof(Entry));
    for_expanded(entries, [&](Index row, Index col, double value) {
        const Entry entry{row, col, value};
        const auto* const bytes = reinterpret_cast<const std::byte*>(&entry);
        Ranks::Bytes& of_owner = out[owner(row)];
        of_owner.insert(of_owner.end(), bytes, bytes + sizeof(Entry));
    });
    const Index n_cols = entries.n_cols;
    entries = {};
    std::vector<Ranks::Bytes> in = ranks.all_to_all(out);
    out = {};

    Size n_here = 0;
    for (const Ranks::Bytes& bytes : in) n_here += static_cast<Size>(bytes.size() / sizeof(Entry));
    const Index first = static_cast<Index>(blocks.first(ranks.rank()));
    Coo<double> here{.n_rows = blocks.n_rows_of(ranks.rank()),
                     .n_cols = n_cols,
                     .row_idx = HostVector<Index>(n_here),
                     .col_idx = HostVector<Index>(n_here),
                     .values = HostVector<double>(n_here)};
    Size next = 0;
    for (Ranks::Bytes& bytes : in) {
        for (std::size_t at = 0; at < bytes.size(); at += sizeof(Entry), ++next) {
            Entry entry;
            std::memcpy(&entry, bytes.data() + at, sizeof(Entry));
            here.row_idx[next] = entry.row - first;
            here.col_idx[next] = entry.col;
            here.values[next] = entry.value;
        }
        bytes = {};
    }
    return csr_from_coo(host, here);
}

WorldRows<double> as_world_rows(HostCsr<double> rows) {
    WorldRows<double> world{HostVector<Size>(rows.n_rows + Size{1}), HostVector<Size>(rows.nnz()), {}};
    rows.row_ptr.visit([&](const auto* row_ptr) { std::copy_n(row_ptr, rows.n_rows + Size{1}, world.row_ptr.data()); });
    std::copy_n(rows.col_idx.data(), rows.nnz(), world.col_idx.data());
    world.values = std::move(rows.values);
    return world;
}

}  // namespace stiefel
