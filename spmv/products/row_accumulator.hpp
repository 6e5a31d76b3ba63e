#pragma once

#include "stiefel/spmv/products/rank_sort.hpp"
#include "stiefel/spmv/products/row_store.hpp"
#include "stiefel/spmv/sort_row.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace stiefel {

/// Where the entries of a product's rows stand.
enum class RowOrder {
    ascending,  ///< by column, as in every matrix of this library
    as_found    ///< for what is only multiplied on
};

/// Where a column stands in the row at hand. What another row has left behind is told by that row's number.
struct ColumnMark {
    std::uint32_t row = 0;  ///< from 1
    std::uint32_t place = 0;
};

/// One row of a sparse matrix while it is added up. Kept by value where it is used, so that it lives in registers:
/// without a branch, as whether a column is new to a row cannot be foretold.
template <class T>
class RowSum {
public:
    using Place = typename RowStore<T>::Place;

    RowSum(std::vector<ColumnMark>& marks, RowStore<T>& store, Place place, Index i)
        : marks_(marks.data()), store_(&store), place_(place), row_(static_cast<std::uint32_t>(i) + 1) {}

    /// row[col] += value
    [[gnu::always_inline]] void add(Index col, T value) {
        make_room(1);
        length_ += put(place_, length_, col, value);
    }

    /// row[cols[k]] += factor values[k]
    void add(const Index* cols, const T* values, Size n, T factor) {
        make_room(n);
        const Place place = place_;
        Size length = length_;
        for (Size k = 0; k < n; ++k) length += put(place, length, cols[k], factor * values[k]);
        length_ = length;
    }

    const Place& place() const { return place_; }
    Index length() const { return static_cast<Index>(length_); }

private:
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

    void make_room(Size n) {
        if (place_.room - length_ < n) place_ = store_->grown(place_, length_, n);
    }

    /// Returns by how much the row grows: 1 or 0.
    [[gnu::always_inline]] Size put(const Place& to, Size length, Index col, T value) const {
        ColumnMark& mark = marks_[col];
        const Size is_new = mark.row != row_ ? 1 : 0;
        const Size place = mark.place + ((length - mark.place) & -is_new);
        mark = {row_, static_cast<std::uint32_t>(place)};
        to.cols[place] = col;
        to.values[place] = value + or_zero(to.values[place], is_new);
        return is_new;
    }

    /// value, or 0 where it is what others have left.
    static T or_zero(T value, Size is_left) {
        return std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(value) & (static_cast<Bits>(is_left) - 1)));
    }

    ColumnMark* marks_;
    RowStore<T>* store_;
    Place place_;
    Size length_ = 0;
    std::uint32_t row_;
};

/// Adds up rows of a sparse matrix one after another, each once; one for each thread. A column's place in the row at
/// hand stands in an array that never needs to be cleared.
template <class T>
class RowAccumulator {
public:
    RowAccumulator(Index n_cols, RowOrder order) : marks_(static_cast<std::size_t>(n_cols)), order_(order) {}

    /// Row i is what fill(row) adds to the RowSum. Returns its length.
    template <class Fill>
    Index add_row(Index i, Fill&& fill) {
        RowSum<T> row(marks_, store_, place_, i);
        fill(row);
        const Index length = row.length();
        place_ = row.place();
        if (order_ == RowOrder::ascending) sort(length);
        store_.keep(i, place_, length);
        place_ = {place_.cols + length, place_.values + length, place_.room - length};
        return length;
    }

    const RowStore<T>& store() const { return store_; }

private:
    void sort(Index length) {
        if (length <= most_ranked) {
            rank_sort(place_.cols, place_.values, length);
        } else {
            sorter_.sort_and_merge(place_.cols, place_.values, length);
        }
    }

    std::vector<ColumnMark> marks_;
    RowStore<T> store_;
    typename RowStore<T>::Place place_;
    RowOrder order_;
    RowSorter<T> sorter_;
};

}  // namespace stiefel
