#include "stiefel/cli/ranks/rank_range.hpp"

#include "stiefel/cli/ranks/together.hpp"
#include "stiefel/cli/single_range.hpp"

namespace stiefel::cli {

namespace {

SingleRange range_of_all(Ranks& ranks, OpenMP& host, const HostVector<double>& values) {
    double largest = largest_of(values, host.threads());
    ranks.all_max(&largest, 1);
    return SingleRange(largest);
}

/// Rounds the values, and tells how many of all ranks are others for it.
Size round_in_place(Ranks& ranks, OpenMP& host, const SingleRange& range, HostVector<double>& values) {
    auto n_rounded = static_cast<double>(range.bring(values, values, host.threads()));
    ranks.all_sum(&n_rounded, 1);
    return static_cast<Size>(n_rounded);
}

}  // namespace

int bring_into_single(Ranks& ranks, OpenMP& host, const std::string& path, EntriesOfRank& read) {
    HostVector<double>& values = read.entries.values;
    const SingleRange range = range_of_all(ranks, host, values);
    together(ranks, [&] { range.check_diagonal(read.entries, path); });
    range.note(read.are_integers, round_in_place(ranks, host, range, values), read.notes);
    return range.exponent();
}

int bring_into_single(Ranks& ranks, OpenMP& host, const std::string& path, Size first, WorldRows<double>& rows,
                      std::vector<std::string>& notes) {
    const SingleRange range = range_of_all(ranks, host, rows.values);
    together(ranks, [&] {
        for (Index i = 0; i < rows.n_rows(); ++i) {
            for (Size k = rows.row_ptr[i]; k < rows.row_ptr[Size{i} + 1]; ++k) {
                if (rows.col_idx[k] == first + i) range.check_diagonal(first + i, rows.values[k], path);
            }
        }
    });
    range.note(false, round_in_place(ranks, host, range, rows.values), notes);
    return range.exponent();
}

void bring_into_single(Ranks& ranks, int exponent, const std::string& name, Index k, HostVector<double>& columns) {
    const Size n = columns.size() / k;
    std::vector<BroughtColumn> brought;
    for (Index j = 0; j < k; ++j) {
        double* const column = columns.data() + Size{j} * n;
        BroughtColumn of_all = BroughtColumn::bring(exponent, column, n, column);
        ranks.all_max(&of_all.before, 1);
        ranks.all_max(&of_all.after, 1);
        brought.push_back(of_all);
    }
    by_first(ranks, [&] {
        for (Index j = 0; j < k; ++j) brought[static_cast<std::size_t>(j)].check(j, name);
    });
}

}  // namespace stiefel::cli
