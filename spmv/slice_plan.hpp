#pragma once

#include "stiefel/spmv/compressed_sell.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <vector>

namespace stiefel {

/// The rows of one slice of CompressedSell, by the structure of a CSR matrix alone, and how its columns are best kept.
template <class Offset>
class SlicePlan {
public:
    static constexpr Index height = CompressedSell<double>::slice_height;

    SlicePlan(const Offset* row_ptr, const Index* col_idx, Index n_rows, Index n_cols)
        : row_ptr_(row_ptr), col_idx_(col_idx), n_rows_(n_rows), n_cols_(n_cols) {}

    /// value_bytes: of an entry. row(lane): the row in that lane, n_rows if there is none.
    template <class Row>
    void look_at(Size value_bytes, Index first_row, const Row& row) {
        width_ = 0;
        n_entries_ = 0;
        bool in_order = true;
        for (Index lane = 0; lane < height; ++lane) {
            const Index i = row(lane);
            in_order &= i == first_row + lane && i < n_rows_;
            first_[lane] = i < n_rows_ ? Size{row_ptr_[i]} : 0;
            length_[lane] = i < n_rows_ ? static_cast<Index>(row_ptr_[i + 1] - row_ptr_[i]) : 0;
            width_ = std::max(width_, length_[lane]);
            n_entries_ += length_[lane];
        }
        // As many bytes as the entries take otherwise, each with two for its column.
        const Size most = Size{width_} * (value_bytes + 2) / value_bytes;
        if (in_order && find_diagonals(first_row, most)) {
            columns_ = SliceColumns::diagonals;
        } else {
            columns_ = find_least_columns() ? SliceColumns::near : SliceColumns::far;
        }
    }

    SliceColumns columns() const { return columns_; }
    Index width() const { return width_; }
    Size n_groups() const { return static_cast<Size>(base_.size()); }
    bool padded() const { return n_entries_ != n_groups() * height; }
    std::span<const Index> base() const { return base_; }
    Size n_distances() const {
        const Size per_entry = columns_ == SliceColumns::diagonals ? 0 : columns_ == SliceColumns::near ? 1 : 2;
        return per_entry * height * n_groups();
    }
    Index length(Index lane) const { return length_[lane]; }
    Size first(Index lane) const { return first_[lane]; }

    /// Whether the row of a lane has the diagonals of the one before.
    bool continues(Index lane) const {
        if (lane == 0 || length_[lane] != length_[lane - 1]) return false;
        const Index* const before = col_idx_ + first_[lane - 1];
        const Index* const cols = col_idx_ + first_[lane];
        for (Index j = 0; j < length_[lane]; ++j) {
            if (cols[j] != before[j] + 1) return false;
        }
        return true;
    }

private:
    /// The diagonals that the rows first_row, first_row + 1, ... have entries on, if they are at most so many, and end
    /// nowhere within the slice.
    bool find_diagonals(Index first_row, Size most) {
        if (width_ == 0) return false;
        base_.clear();
        for (Index lane = 0; lane < height; ++lane) {
            if (continues(lane)) continue;
            std::size_t place = 0;
            for (Size k = first(lane); k < first(lane) + length(lane); ++k) {
                const Index diagonal = col_idx_[k] - (first_row + lane);
                while (place < base_.size() && base_[place] < diagonal) ++place;
                if (place < base_.size() && base_[place] == diagonal) continue;
                if (n_groups() == most) return false;
                base_.insert(base_.begin() + static_cast<std::ptrdiff_t>(place), diagonal);
            }
        }
        return first_row >= -base_.front() && Size{first_row} + height - 1 + base_.back() < n_cols_;
    }

    /// Of each group; whether all others lie within 16 bits of it.
    bool find_least_columns() {
        base_.assign(static_cast<std::size_t>(width_), std::numeric_limits<Index>::max());
        most_.assign(static_cast<std::size_t>(width_), 0);
        for (Index lane = 0; lane < height; ++lane) {
            const Index* const cols = col_idx_ + first(lane);
            for (Index j = 0; j < length(lane); ++j) {
                base_[static_cast<std::size_t>(j)] = std::min(base_[static_cast<std::size_t>(j)], cols[j]);
                most_[static_cast<std::size_t>(j)] = std::max(most_[static_cast<std::size_t>(j)], cols[j]);
            }
        }
        bool are_near = true;
        for (std::size_t j = 0; j < base_.size(); ++j) {
            are_near &= most_[j] - base_[j] <= std::numeric_limits<std::uint16_t>::max();
        }
        return are_near;
    }

    const Offset* row_ptr_;
    const Index* col_idx_;
    Index n_rows_, n_cols_;
    std::array<Size, std::size_t{height}> first_{};
    std::array<Index, std::size_t{height}> length_{};
    Index width_ = 0;
    Size n_entries_ = 0;
    SliceColumns columns_ = SliceColumns::far;
    std::vector<Index> base_, most_;
};

}  // namespace stiefel
