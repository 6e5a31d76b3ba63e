#include "stiefel/world/world_matrix.hpp"

#include <algorithm>
#include <utility>

namespace stiefel {

namespace {

/// The columns that lie outside of first .. last, ascending, each once.
template <class T>
std::vector<Size> columns_outside(const WorldRows<T>& rows, Size first, Size last) {
    std::vector<Size> columns;
    for (Size k = 0; k < rows.nnz(); ++k) {
        const Size j = rows.col_idx[k];
        if (j < first || j >= last) columns.push_back(j);
    }
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    return columns;
}

RowOffsets<HostMemory> as_offsets(const std::vector<Size>& ends) {
    const auto copied = [&]<class Offset>(HostVector<Offset> offsets) {
        for (std::size_t i = 0; i < ends.size(); ++i) offsets[static_cast<Size>(i)] = static_cast<Offset>(ends[i]);
        return RowOffsets<HostMemory>(std::move(offsets));
    };
    const Size n = static_cast<Size>(ends.size());
    if (RowOffsets<HostMemory>::fits_narrow(ends.back())) return copied(HostVector<std::int32_t>(n));
    return copied(HostVector<std::int64_t>(n));
}

}  // namespace

template <class T>
SplitRows<T> split_rows(const WorldRows<T>& rows, const RowBlocks& columns, int rank) {
    const Index n = rows.n_rows(), n_own = columns.n_rows_of(rank);
    const Size first = columns.first(rank), last = first + n_own;
    for (Size k = 0; k < rows.nnz(); ++k) {
        require(rows.col_idx[k] >= 0 && rows.col_idx[k] < columns.n_rows(), "split_rows: no such column");
    }
    SplitRows<T> split;
    split.ghosts = columns_outside(rows, first, last);
    require(split.ghosts.size() <= static_cast<std::size_t>(std::numeric_limits<Index>::max()),
            "split_rows: the columns of other ranks must be fewer than 2^31");

    std::vector<Size> own_ptr{0}, beyond_ptr{0};
    std::vector<Index> boundary;
    for (Index i = 0; i < n; ++i) {
        const Size begin = rows.row_ptr[i], end = rows.row_ptr[i + 1];
        const auto is_own = [&](Size j) { return j >= first && j < last; };
        const Size held = std::count_if(rows.col_idx.data() + begin, rows.col_idx.data() + end, is_own);
        own_ptr.push_back(own_ptr.back() + held);
        if (held == end - begin) continue;
        boundary.push_back(i);
        beyond_ptr.push_back(beyond_ptr.back() + (end - begin - held));
    }

    split.boundary = HostVector<Index>(static_cast<Size>(boundary.size()));
    std::copy(boundary.begin(), boundary.end(), split.boundary.data());
    split.own = {n, n_own, as_offsets(own_ptr), HostVector<Index>(own_ptr.back()), HostVector<T>(own_ptr.back())};
    split.beyond = {static_cast<Index>(split.boundary.size()), static_cast<Index>(split.ghosts.size()),
                    as_offsets(beyond_ptr), HostVector<Index>(beyond_ptr.back()), HostVector<T>(beyond_ptr.back())};
    Size next_own = 0, next_beyond = 0;
    for (Size k = 0; k < rows.nnz(); ++k) {
        const Size j = rows.col_idx[k];
        if (j >= first && j < last) {
            split.own.col_idx[next_own] = static_cast<Index>(j - first);
            split.own.values[next_own++] = rows.values[k];
        } else {
            const auto ghost = std::lower_bound(split.ghosts.begin(), split.ghosts.end(), j) - split.ghosts.begin();
            split.beyond.col_idx[next_beyond] = static_cast<Index>(ghost);
            split.beyond.values[next_beyond++] = rows.values[k];
        }
    }
    return split;
}

template <class T>
SplitRows<T> copy_of(const SplitRows<T>& rows) {
    const auto copied = [](const HostCsr<T>& a) {
        return a.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
            HostVector<Offset> offsets(Size{a.n_rows} + 1);
            std::copy_n(row_ptr, offsets.size(), offsets.data());
            return HostCsr<T>{a.n_rows, a.n_cols, RowOffsets<HostMemory>(std::move(offsets)), a.col_idx.clone(),
                              a.values.clone()};
        });
    };
    return {copied(rows.own), copied(rows.beyond), rows.boundary.clone(), rows.ghosts};
}

template SplitRows<double> copy_of(const SplitRows<double>&);
template SplitRows<float> copy_of(const SplitRows<float>&);
template SplitRows<double> split_rows(const WorldRows<double>&, const RowBlocks&, int);
template SplitRows<float> split_rows(const WorldRows<float>&, const RowBlocks&, int);

}  // namespace stiefel
