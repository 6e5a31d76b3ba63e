#pragma once

#include "stiefel/spmv/products/rank_sort.hpp"
#include "stiefel/spmv/products/row_store.hpp"
#include "stiefel/spmv/sort_row.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

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

/// Terms of a row, before those of the same column are added up.
template <class T>
struct RowTerms {
    static constexpr Size capacity = 1 << 10;
    Index cols[capacity];
    T values[capacity];

    /// Whether the first n are those of another row to the bit, all columns `shift` further on.
    bool are_those_of(const RowTerms& other, Size n, Index shift) const {
        if (cols[n - 1] - other.cols[n - 1] != shift) return false;  // as of most rows that are not
        Index off = 0;
        for (Size k = 0; k < n; ++k) off |= (cols[k] - other.cols[k]) ^ shift;
        return off == 0 && std::memcmp(values, other.values, static_cast<std::size_t>(n) * sizeof(T)) == 0;
    }
};

/// One row of a sparse matrix while it is added up. Terms are collected first, eight at a time, and then added in one
/// long loop without a branch: neither the lengths of the many short rows that they come from, nor whether a column is
/// new to a row, can be foretold. Kept by value where it is used, so that it lives in registers.
template <class T>
class RowSum {
public:
    using Place = typename RowStore<T>::Place;

    RowSum(HostVector<ColumnMark>& marks, RowTerms<T>& terms, RowStore<T>& store, Place place, Index i)
        : marks_(marks.data()),
          terms_(&terms),
          store_(&store),
          place_(place),
          row_(static_cast<std::uint32_t>(i) + 1) {}

    /// row[col] += value
    [[gnu::always_inline]] void add(Index col, T value) {
        if (n_terms_ == RowTerms<T>::capacity) settle();
        terms_->cols[n_terms_] = col;
        terms_->values[n_terms_] = value;
        ++n_terms_;
    }

    /// row[cols[k]] += factor values[k]
    [[gnu::always_inline]] void add(const Entries<T>& entries, T factor) {
        for (Size k = 0; k < entries.n; k += lanes) {
            if (n_terms_ > RowTerms<T>::capacity - lanes) settle();
            const Size n = std::min(lanes, entries.n - k);
            if (k + lanes <= entries.readable) [[likely]] {
                collect_lanes(entries.cols + k, entries.values + k, factor);
            } else {
                collect(entries.cols + k, entries.values + k, n, factor);
            }
            n_terms_ += n;
        }
    }

    /// How many terms were collected, if that is all that there is of the row.
    Size n_terms() const { return length_ == 0 ? n_terms_ : 0; }

    /// Adds up what was collected.
    void settle() {
        if (place_.room - length_ < n_terms_) place_ = store_->grown(place_, length_, n_terms_);
        const Place place = place_;
        Size length = length_;
        for (Size k = 0; k < n_terms_; ++k) length += put(place, length, terms_->cols[k], terms_->values[k]);
        length_ = length;
        n_terms_ = 0;
    }

    const Place& place() const { return place_; }
    Index length() const { return static_cast<Index>(length_); }

private:
    static constexpr Size lanes = 8;
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

    /// Eight terms in four moves; those too many are overwritten by what follows.
    [[gnu::always_inline]] void collect_lanes(const Index* cols, const T* values, T factor) {
        using EightCols [[gnu::vector_size(lanes * sizeof(Index))]] = Index;
        using EightValues [[gnu::vector_size(lanes * sizeof(T))]] = T;
        EightCols eight_cols;
        EightValues eight_values;
        std::memcpy(&eight_cols, cols, sizeof(eight_cols));
        std::memcpy(&eight_values, values, sizeof(eight_values));
        eight_values *= factor;
        std::memcpy(terms_->cols + n_terms_, &eight_cols, sizeof(eight_cols));
        std::memcpy(terms_->values + n_terms_, &eight_values, sizeof(eight_values));
    }
    void collect(const Index* cols, const T* values, Size n, T factor) {
        for (Size k = 0; k < n; ++k) {
            terms_->cols[n_terms_ + k] = cols[k];
            terms_->values[n_terms_ + k] = factor * values[k];
        }
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
    RowTerms<T>* terms_;
    RowStore<T>* store_;
    Place place_;
    Size n_terms_ = 0;
    Size length_ = 0;
    std::uint32_t row_;
};

/// Adds up rows of a sparse matrix one after another, each once; one for each thread. A column's place in the row at
/// hand stands in an array that never needs to be cleared. On grids most rows have the terms of the row before, further
/// on: they have its sums.
template <class T>
class RowAccumulator {
public:
    RowAccumulator(Index n_cols, RowOrder order)
        : marks_(n_cols, ColumnMark{}),
          terms_(std::make_unique<RowTerms<T>>()),
          terms_before_(std::make_unique<RowTerms<T>>()),
          order_(order) {}

    /// Row i is what fill(row) adds to the RowSum. Returns its length.
    template <class Fill>
    Index add_row(Index i, Fill&& fill) {
        RowSum<T> row(marks_, *terms_, store_, place_, i);
        fill(row);
        const Size n_terms = row.n_terms();
        const Index shift = terms_->cols[0] - terms_before_->cols[0];
        const bool repeats = n_terms > 0 && n_terms == n_terms_before_ && row.place().room >= length_before_ &&
                             terms_->are_those_of(*terms_before_, n_terms, shift);
        const Index length = repeats ? take_row_before(shift) : add_up(row);
        store_.keep(i, place_, length);
        row_before_ = place_;
        length_before_ = length;
        n_terms_before_ = n_terms;
        std::swap(terms_, terms_before_);
        place_ = {place_.cols + length, place_.values + length, place_.room - length};
        return length;
    }

    /// All rows that were added up.
    RowStore<T> take_store() && { return std::move(store_); }

private:
    Index take_row_before(Index shift) {
        for (Index k = 0; k < length_before_; ++k) place_.cols[k] = row_before_.cols[k] + shift;
        std::copy_n(row_before_.values, length_before_, place_.values);
        return length_before_;
    }
    Index add_up(RowSum<T>& row) {
        row.settle();
        place_ = row.place();
        if (order_ == RowOrder::ascending) sort(row.length());
        return row.length();
    }
    void sort(Index length) {
        if (length <= most_ranked) {
            rank_sort(place_.cols, place_.values, length);
        } else {
            sorter_.sort_and_merge(place_.cols, place_.values, length);
        }
    }

    HostVector<ColumnMark> marks_;
    std::unique_ptr<RowTerms<T>> terms_, terms_before_;
    RowStore<T> store_;
    typename RowStore<T>::Place place_, row_before_;
    Index length_before_ = 0;
    Size n_terms_before_ = 0;  ///< none where they were too many to be kept
    RowOrder order_;
    RowSorter<T> sorter_;
};

}  // namespace stiefel
