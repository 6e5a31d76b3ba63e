#include "stiefel/preconditioner/amg/ranks/cuda/beyond_rows.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace stiefel::amg {

namespace {

template <class T>
HostVector<T> in_host_memory(const std::vector<T>& numbers) {
    HostVector<T> copy(static_cast<Size>(numbers.size()));
    std::copy(numbers.begin(), numbers.end(), copy.data());
    return copy;
}

}  // namespace

SplitRows<double> beyond_rows(std::span<const BeyondEntry> entries) {
    const auto n = static_cast<Size>(entries.size());
    SplitRows<double> rows;
    for (const BeyondEntry& entry : entries) rows.ghosts.push_back(entry.column);
    std::sort(rows.ghosts.begin(), rows.ghosts.end());
    rows.ghosts.erase(std::unique(rows.ghosts.begin(), rows.ghosts.end()), rows.ghosts.end());
    std::vector<Index> boundary;
    std::vector<Size> begins;
    HostVector<Index> columns(n);
    HostVector<double> values(n);
    for (Size k = 0; k < n; ++k) {
        const BeyondEntry& entry = entries[static_cast<std::size_t>(k)];
        if (boundary.empty() || boundary.back() != entry.row) {
            boundary.push_back(entry.row);
            begins.push_back(k);
        }
        const auto at = std::lower_bound(rows.ghosts.begin(), rows.ghosts.end(), entry.column);
        columns[k] = static_cast<Index>(at - rows.ghosts.begin());
        values[k] = entry.value;
    }
    begins.push_back(n);
    rows.boundary = in_host_memory(boundary);
    rows.beyond = {.n_rows = static_cast<Index>(boundary.size()),
                   .n_cols = static_cast<Index>(rows.ghosts.size()),
                   .row_ptr = RowOffsets<HostMemory>(in_host_memory(begins)),
                   .col_idx = std::move(columns),
                   .values = std::move(values)};
    return rows;
}

}  // namespace stiefel::amg
