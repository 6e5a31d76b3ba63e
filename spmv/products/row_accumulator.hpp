#pragma once

#include "stiefel/core/types.hpp"
#include "stiefel/spmv/sort_row.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace stiefel {

/// Adds up rows of a sparse matrix one after another; one for each thread. The place of a column in the row at hand is
/// found by the sparse set of Briggs and Torczon (1993), which never needs to be cleared.
template <class T>
class RowAccumulator {
public:
    explicit RowAccumulator(Index n_cols) : place_(static_cast<std::size_t>(n_cols)) {}

    /// row[col] += value
    void add(Index col, T value) {
        Index& place = place_[static_cast<std::size_t>(col)];
        if (place < length_ && cols_[first_ + static_cast<std::size_t>(place)] == col) {
            values_[first_ + static_cast<std::size_t>(place)] += value;
            return;
        }
        const std::size_t end = first_ + static_cast<std::size_t>(length_);
        if (end == cols_.size()) grow();
        cols_[end] = col;
        values_[end] = value;
        place = length_++;
    }

    /// Ends the row, its columns ascending, and begins the next. Returns its length.
    Index end_row() {
        sorter_.sort_and_merge(cols_.data() + first_, values_.data() + first_, length_);
        first_ += static_cast<std::size_t>(length_);
        return std::exchange(length_, 0);
    }

    /// All rows since the last clear(), one behind the other.
    Size size() const { return static_cast<Size>(first_); }
    const Index* cols() const { return cols_.data(); }
    const T* values() const { return values_.data(); }
    void clear() { first_ = 0; }

private:
    void grow() {
        const std::size_t size = std::max<std::size_t>(2 * cols_.size(), 1 << 12);
        cols_.resize(size);
        values_.resize(size);
    }

    std::vector<Index> place_;
    std::vector<Index> cols_;
    std::vector<T> values_;
    std::size_t first_ = 0;  // of the row at hand
    Index length_ = 0;       // of the row at hand
    RowSorter<T> sorter_;
};

}  // namespace stiefel
