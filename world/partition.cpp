#include "stiefel/world/partition.hpp"

#include "stiefel/core/serial.hpp"
#include "stiefel/world/exchange.hpp"
#include "stiefel/world/halo.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>

namespace stiefel {

namespace {

/// A number of each row, looked up for any column of the rows of this rank: those of other ranks' come from them.
template <class T>
class OfColumns {
public:
    OfColumns(Ranks& ranks, const RowBlocks& blocks, const WorldRows<double>& rows, const HostVector<T>& here)
        : here_(here), first_(blocks.first(ranks.rank())), last_(blocks.first(ranks.rank() + 1)) {
        std::copy_if(rows.col_idx.begin(), rows.col_idx.end(), std::back_inserter(ghosts_),
                     [&](Size j) { return !is_own(j); });
        std::sort(ghosts_.begin(), ghosts_.end());
        ghosts_.erase(std::unique(ghosts_.begin(), ghosts_.end()), ghosts_.end());
        there_ = HostVector<T>(static_cast<Size>(ghosts_.size()));
        Serial host;
        Halo halo(ranks, blocks, ghosts_);
        halo.begin(host, HostMatrix<const T>{here.data(), static_cast<Index>(here.size()), 1, 1}, there_.data());
        halo.end();
    }

    T operator()(Size column) const {
        if (is_own(column)) return here_[column - first_];
        return there_[std::lower_bound(ghosts_.begin(), ghosts_.end(), column) - ghosts_.begin()];
    }

private:
    bool is_own(Size column) const { return column >= first_ && column < last_; }

    const HostVector<T>& here_;
    Size first_, last_;
    std::vector<Size> ghosts_;
    HostVector<T> there_;
};

/// sums[r] become those of all ranks.
std::vector<Size> summed(Ranks& ranks, const std::vector<Size>& sums) {
    std::vector<double> all(sums.begin(), sums.end());
    ranks.all_sum(all.data(), static_cast<Size>(all.size()));
    std::vector<Size> result;
    for (const double sum : all) result.push_back(static_cast<Size>(sum));
    return result;
}

/// Where rows lie once they are with the ranks of their parts, and the new number of each row of this rank.
std::pair<RowBlocks, HostVector<Size>> new_numbers(Ranks& ranks, const HostVector<Index>& part) {
    const auto n_ranks = static_cast<std::size_t>(ranks.size());
    std::vector<Size> counts(n_ranks, 0);
    for (const Index p : part) ++counts[static_cast<std::size_t>(p)];
    std::vector<Size> before(n_ranks, 0), all(n_ranks, 0);
    const std::vector<Ranks::Bytes> told = told_to_all(ranks, bytes_of(std::span<const Size>(counts)));
    for (std::size_t r = 0; r < n_ranks; ++r) {
        std::vector<Size> of_rank;
        append_values(told[r], of_rank);
        for (std::size_t p = 0; p < n_ranks; ++p) {
            if (static_cast<int>(r) < ranks.rank()) before[p] += of_rank[p];
            all[p] += of_rank[p];
        }
    }
    std::vector<Size> first(n_ranks + 1, 0);
    std::partial_sum(all.begin(), all.end(), first.begin() + 1);
    HostVector<Size> numbers(part.size());
    for (Size i = 0; i < part.size(); ++i) {
        const auto p = static_cast<std::size_t>(part[i]);
        numbers[i] = first[p] + before[p]++;
    }
    return {RowBlocks(std::move(first)), std::move(numbers)};
}

struct WideEntry {
    Size column;
    double value;
};

/// Lengths, numbers before and entries of rows, for one rank.
struct Parcel {
    std::vector<Size> lengths, before;
    std::vector<WideEntry> entries;
};

template <class T>
std::vector<T> sent_to_owners(Ranks& ranks, const std::vector<Parcel>& parcels, std::vector<T> Parcel::*what) {
    std::vector<Ranks::Bytes> out;
    for (const Parcel& parcel : parcels) out.push_back(bytes_of(std::span<const T>(parcel.*what)));
    std::vector<T> here;
    for (const Ranks::Bytes& bytes : ranks.all_to_all(out)) append_values(bytes, here);
    return here;
}

}  // namespace

std::vector<Size> elements_sent(Ranks& ranks, const RowBlocks& blocks, const WorldRows<double>& rows,
                                const HostVector<Index>& part) {
    const OfColumns<Index> part_of(ranks, blocks, rows, part);
    std::vector<Size> sent(static_cast<std::size_t>(ranks.size()), 0);
    std::vector<Index> others;
    for (Index i = 0; i < rows.n_rows(); ++i) {
        // By symmetry a row's element is needed where the rows of its columns are.
        others.clear();
        for (Size k = rows.row_ptr[i]; k < rows.row_ptr[i + 1]; ++k) {
            const Index p = part_of(rows.col_idx[k]);
            if (p != part[i] && std::find(others.begin(), others.end(), p) == others.end()) others.push_back(p);
        }
        sent[static_cast<std::size_t>(part[i])] += static_cast<Size>(others.size());
    }
    return summed(ranks, sent);
}

Size rows_torn(Ranks& ranks, const RowBlocks& blocks, const WorldRows<double>& rows) {
    constexpr double beyond_rounding = 1 + 1e-9;
    const Size first = blocks.first(ranks.rank()), last = blocks.first(ranks.rank() + 1);
    HostVector<double> diagonal(rows.n_rows(), 0.0);
    for (Index i = 0; i < rows.n_rows(); ++i) {
        for (Size k = rows.row_ptr[i]; k < rows.row_ptr[i + 1]; ++k)
            if (rows.col_idx[k] == first + i) diagonal[i] = std::abs(rows.values[k]);
    }
    const OfColumns<double> diagonal_of(ranks, blocks, rows, diagonal);
    double torn = 0;
    for (Index i = 0; i < rows.n_rows(); ++i) {
        double here = 0, beyond = 0;  // sqrt(a_ii), which all of a row share, is left out
        for (Size k = rows.row_ptr[i]; k < rows.row_ptr[i + 1]; ++k) {
            const Size j = rows.col_idx[k];
            if (j == first + i) continue;
            const double d = diagonal_of(j);
            double& strongest = j >= first && j < last ? here : beyond;
            if (d > 0) strongest = std::max(strongest, std::abs(rows.values[k]) / std::sqrt(d));
        }
        if (beyond > beyond_rounding * here) ++torn;
    }
    ranks.all_sum(&torn, 1);
    return static_cast<Size>(torn);
}

PartitionedRows partitioned(Ranks& ranks, const RowBlocks& blocks, WorldRows<double> rows,
                            const HostVector<Index>& part) {
    auto [new_blocks, numbers] = new_numbers(ranks, part);
    std::vector<Parcel> parcels(static_cast<std::size_t>(ranks.size()));
    {
        const OfColumns<Size> number_of(ranks, blocks, rows, numbers);
        const Size first = blocks.first(ranks.rank());
        for (Index i = 0; i < rows.n_rows(); ++i) {
            Parcel& parcel = parcels[static_cast<std::size_t>(part[i])];
            parcel.lengths.push_back(rows.row_ptr[i + 1] - rows.row_ptr[i]);
            parcel.before.push_back(first + i);
            const auto begin = static_cast<std::ptrdiff_t>(parcel.entries.size());
            for (Size k = rows.row_ptr[i]; k < rows.row_ptr[i + 1]; ++k)
                parcel.entries.push_back({number_of(rows.col_idx[k]), rows.values[k]});
            std::sort(parcel.entries.begin() + begin, parcel.entries.end(),
                      [](const WideEntry& a, const WideEntry& b) { return a.column < b.column; });
        }
    }
    rows = {};
    // Rows come by rank, and those of each ascend: so do their numbers before, and after.
    const std::vector<Size> lengths = sent_to_owners(ranks, parcels, &Parcel::lengths);
    const std::vector<Size> before = sent_to_owners(ranks, parcels, &Parcel::before);
    const std::vector<WideEntry> entries = sent_to_owners(ranks, parcels, &Parcel::entries);
    const auto n = static_cast<Size>(lengths.size()), nnz = static_cast<Size>(entries.size());
    PartitionedRows result{std::move(new_blocks),
                           {HostVector<Size>(n + 1), HostVector<Size>(nnz), HostVector<double>(nnz)},
                           HostVector<Size>(n)};
    result.rows.row_ptr[0] = 0;
    for (Size i = 0; i < n; ++i) {
        result.rows.row_ptr[i + 1] = result.rows.row_ptr[i] + lengths[static_cast<std::size_t>(i)];
        result.before[i] = before[static_cast<std::size_t>(i)];
    }
    for (Size k = 0; k < nnz; ++k) {
        result.rows.col_idx[k] = entries[static_cast<std::size_t>(k)].column;
        result.rows.values[k] = entries[static_cast<std::size_t>(k)].value;
    }
    return result;
}

}  // namespace stiefel
