#include "stiefel/world/world_matrix.hpp"

#include <algorithm>
#include <utility>

namespace stiefel {

namespace {

/// Where in a row, whose columns ascend, those of this rank begin and end.
struct OwnRange {
    Size begin, end;
};
template <class T>
OwnRange own_range(const WorldRows<T>& rows, Index i, Size first, Size last) {
    const Size* const cols = rows.col_idx.data();
    const Size* const end = cols + rows.row_ptr[Size{i} + 1];
    const Size* const own = std::lower_bound(cols + rows.row_ptr[i], end, first);
    return {own - cols, std::lower_bound(own, end, last) - cols};
}

template <class T>
void check_columns(const WorldRows<T>& rows, Size n_columns) {
    for (Index i = 0; i < rows.n_rows(); ++i) {
        const Size begin = rows.row_ptr[i], end = rows.row_ptr[Size{i} + 1];
        if (begin == end) continue;
        require(rows.col_idx[begin] >= 0 && rows.col_idx[end - 1] < n_columns, "split_rows: no such column");
    }
}

RowOffsets<HostMemory> as_offsets(const HostVector<Size>& ends) {
    const auto copied = [&]<class Offset>(HostVector<Offset> offsets) {
        std::copy(ends.begin(), ends.end(), offsets.data());
        return RowOffsets<HostMemory>(std::move(offsets));
    };
    const Size n = ends.size();
    if (RowOffsets<HostMemory>::fits_narrow(ends[n - 1])) return copied(HostVector<std::int32_t>(n));
    return copied(HostVector<std::int64_t>(n));
}

}  // namespace

template <class T>
SplitRows<T> split_rows(const WorldRows<T>& rows, const RowBlocks& columns, int rank, int threads) {
    const Index n = rows.n_rows(), n_own = columns.n_rows_of(rank);
    const Size first = columns.first(rank), last = first + n_own;
    check_columns(rows, columns.n_rows());
    HostVector<Size> own_ptr(Size{n} + 1);
    own_ptr[0] = 0;
#pragma omp parallel for num_threads(threads) schedule(static) if (rows.nnz() > 20000)
    for (Index i = 0; i < n; ++i) {
        const OwnRange own = own_range(rows, i, first, last);
        own_ptr[Size{i} + 1] = own.end - own.begin;
    }
    SplitRows<T> split;
    std::vector<Index> boundary;
    std::vector<Size> beyond_ends{0};
    for (Index i = 0; i < n; ++i) {
        const Size beyond = rows.row_ptr[Size{i} + 1] - rows.row_ptr[i] - own_ptr[Size{i} + 1];
        own_ptr[Size{i} + 1] += own_ptr[i];
        if (beyond == 0) continue;
        boundary.push_back(i);
        beyond_ends.push_back(beyond_ends.back() + beyond);
    }
    const auto n_boundary = static_cast<Size>(boundary.size());
    HostVector<Size> beyond_ptr(n_boundary + 1);
    std::copy(beyond_ends.begin(), beyond_ends.end(), beyond_ptr.data());
    const Size n_beyond = beyond_ends.back();

    // In the rows of the boundary, what lies before and behind the rank's own columns.
    const auto for_beyond = [&](auto&& f) {
        for (Size b = 0; b < n_boundary; ++b) {
            const Index i = boundary[static_cast<std::size_t>(b)];
            const OwnRange own = own_range(rows, i, first, last);
            for (Size k = rows.row_ptr[i]; k < own.begin; ++k) f(k);
            for (Size k = own.end; k < rows.row_ptr[Size{i} + 1]; ++k) f(k);
        }
    };
    for_beyond([&](Size k) { split.ghosts.push_back(rows.col_idx[k]); });
    std::sort(split.ghosts.begin(), split.ghosts.end());
    split.ghosts.erase(std::unique(split.ghosts.begin(), split.ghosts.end()), split.ghosts.end());
    require(split.ghosts.size() <= static_cast<std::size_t>(std::numeric_limits<Index>::max()),
            "split_rows: the columns of other ranks must be fewer than 2^31");

    split.boundary = HostVector<Index>(n_boundary);
    std::copy(boundary.begin(), boundary.end(), split.boundary.data());
    split.own = {n, n_own, as_offsets(own_ptr), HostVector<Index>(own_ptr[n]), HostVector<T>(own_ptr[n])};
    split.beyond = {static_cast<Index>(n_boundary), static_cast<Index>(split.ghosts.size()), as_offsets(beyond_ptr),
                    HostVector<Index>(n_beyond), HostVector<T>(n_beyond)};
#pragma omp parallel for num_threads(threads) schedule(static) if (rows.nnz() > 20000)
    for (Index i = 0; i < n; ++i) {
        const OwnRange own = own_range(rows, i, first, last);
        for (Size k = own.begin, to = own_ptr[i]; k < own.end; ++k, ++to) {
            split.own.col_idx[to] = static_cast<Index>(rows.col_idx[k] - first);
            split.own.values[to] = rows.values[k];
        }
    }
    Size to = 0;
    for_beyond([&](Size k) {
        const auto ghost = std::lower_bound(split.ghosts.begin(), split.ghosts.end(), rows.col_idx[k]);
        split.beyond.col_idx[to] = static_cast<Index>(ghost - split.ghosts.begin());
        split.beyond.values[to++] = rows.values[k];
    });
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
template SplitRows<double> split_rows(const WorldRows<double>&, const RowBlocks&, int, int);
template SplitRows<float> split_rows(const WorldRows<float>&, const RowBlocks&, int, int);

}  // namespace stiefel
