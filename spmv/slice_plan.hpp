#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/compressed_sell.hpp"
#include "stiefel/spmv/csr.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace stiefel {

/// The rows of one slice of CompressedSell, by the structure of a CSR matrix alone, and how its columns are best kept.
template <class Offset>
class SlicePlan {
public:
    static constexpr Index height = CompressedSell<double>::slice_height;

    SlicePlan(const Offset* row_ptr, const Index* col_idx, Index n_rows, Index n_cols)
        : row_ptr_(row_ptr), col_idx_(col_idx), n_rows_(n_rows), n_cols_(n_cols) {}

    /// value_bytes: of an entry. rows: of the slots, n_rows for an empty one; null if they are first_row and the next.
    /// known: how the columns were found to be kept before.
    void look_at(Size value_bytes, Index first_row, const Index* rows, std::optional<SliceColumns> known = {}) {
        const bool in_order = take_rows(first_row, rows);
        width_ = *std::max_element(std::begin(length_), std::end(length_));
        n_entries_ = std::accumulate(std::begin(length_), std::end(length_), Size{0});
        // As many bytes as the entries take otherwise, each with two for its column.
        const Size most = Size{width_} * (value_bytes + 2) / value_bytes;
        const bool may_have_diagonals = in_order && known.value_or(SliceColumns::diagonals) == SliceColumns::diagonals;
        if (may_have_diagonals && find_diagonals(first_row, most)) {
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

    /// Which of the diagonals the entries of a lane have. To be asked for lane after lane.
    std::span<const Index> places(Index first_row, Index lane) {
        std::vector<Index>& places = places_[like_[lane]];
        if (like_[lane] != lane) return places;
        places.resize(static_cast<std::size_t>(length(lane)));
        Index place = 0;
        for (Index j = 0; j < length(lane); ++j) {
            const Index diagonal = col_idx_[first(lane) + j] - (first_row + lane);
            while (base_[static_cast<std::size_t>(place)] != diagonal) ++place;
            places[static_cast<std::size_t>(j)] = place;
        }
        return places;
    }

private:
    /// Where the rows begin and how long they are; whether they are first_row and the next.
    bool take_rows(Index first_row, const Index* rows) {
        bool in_order = first_row <= n_rows_ - height;
        if (in_order && rows == nullptr) {
            const Offset* const begin = row_ptr_ + first_row;
            for (Index lane = 0; lane < height; ++lane) {
                first_[lane] = Size{begin[lane]};
                length_[lane] = static_cast<Index>(begin[lane + 1] - begin[lane]);
            }
            return true;
        }
        for (Index lane = 0; lane < height; ++lane) {
            const Size slot = Size{first_row} + lane;
            const Size i = rows != nullptr ? rows[lane] : slot;
            in_order &= i == slot;
            first_[lane] = i < n_rows_ ? Size{row_ptr_[i]} : 0;
            length_[lane] = i < n_rows_ ? static_cast<Index>(row_ptr_[i + 1] - row_ptr_[i]) : 0;
        }
        return in_order;
    }

    /// Whether the row of a lane has the diagonals of the one so many rows before.
    bool repeats(Index lane, Index period) const {
        if (lane < period || length(lane) != length(lane - period)) return false;
        const Index* const before = col_idx_ + first(lane - period);
        const Index* const cols = col_idx_ + first(lane);
        for (Index j = 0; j < length(lane); ++j) {
            if (cols[j] != before[j] + period) return false;
        }
        return true;
    }
    /// After how many rows diagonals repeat themselves, where they do: as many as a node has unknowns.
    Index find_period() const {
        for (const Index period : {1, 2, 3, 6}) {
            if (repeats(period, period)) return period;
        }
        return 1;
    }

    /// Whether all rows, which follow each other, have the diagonals of the first.
    bool are_alike() const {
        if (n_entries_ != Size{width_} * height) return false;
        const Index* const cols = col_idx_ + first(0);
        Index different = 0;
        for (Size k = 0; k < Size{width_} * (height - 1); ++k) different |= cols[k + width_] - cols[k] - 1;
        return different == 0;
    }

    /// The diagonals that the rows first_row, first_row + 1, ... have entries on, if they are at most so many, and end
    /// nowhere within the slice.
    bool find_diagonals(Index first_row, Size most) {
        if (width_ == 0) return false;
        base_.clear();
        const bool alike = are_alike();
        const Index period = alike ? 1 : find_period();
        for (Index lane = 0; lane < height; ++lane) {
            const bool repeated = alike ? lane > 0 : repeats(lane, period);
            like_[lane] = repeated ? like_[lane - period] : lane;
            if (repeated) continue;
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
        Index *const least = base_.data(), *const most = most_.data();
        for (Index lane = 0; lane < height; ++lane) {
            const Index* const cols = col_idx_ + first(lane);
            const Index n = length(lane);
#pragma omp simd
            for (Index j = 0; j < n; ++j) {
                least[j] = std::min(least[j], cols[j]);
                most[j] = std::max(most[j], cols[j]);
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
    Size first_[height]{};
    Index length_[height]{};
    Index width_ = 0;
    Size n_entries_ = 0;
    SliceColumns columns_ = SliceColumns::far;
    std::vector<Index> base_, most_;
    Index like_[height]{};  ///< an earlier lane with the diagonals of a lane, or itself
    std::vector<Index> places_[height];
};

/// f(sample, plan) for the slices of A that are wanted, or for one of `every`, in parallel. known(slice): see
/// SlicePlan::look_at.
template <class Offset, class T, class F, class Wanted, class Known>
void for_slice_plans(OpenMP& backend, const HostCsr<T>& a, const Offset* row_ptr, const HostVector<Index>& row_of_slot,
                     Size value_bytes, Index every, const F& f, const Wanted& wanted, const Known& known) {
    constexpr Index height = SlicePlan<Offset>::height;
    const Index n_slices = HostCompressedSell<T>{.n_rows = a.n_rows}.n_slices();
#pragma omp parallel num_threads(backend.threads()) if (a.nnz() > 20000)
    {
        SlicePlan<Offset> plan(row_ptr, a.col_idx.data(), a.n_rows, a.n_cols);
#pragma omp for schedule(static)
        for (Index sample = 0; sample < (n_slices + every - 1) / every; ++sample) {
            const Index slice = sampled_slice(sample, every, n_slices);
            if (!wanted(slice)) continue;
            const Index* const rows = row_of_slot.empty() ? nullptr : row_of_slot.data() + Size{slice} * height;
            plan.look_at(value_bytes, slice * height, rows, known(slice));
            f(sample, plan);
        }
    }
}

/// What slices take.
struct PlannedSlices {
    HostVector<CompressedSlice> slices;  ///< and behind the last what they take together
    Size n_groups = 0;                   ///< of all of them, if none were shared
    std::vector<Index> like;             ///< of each slice the first that holds the same; empty where none is shared

    bool is_shared(Index slice) const { return !like.empty() && like[static_cast<std::size_t>(slice)] != slice; }
};

/// The slices of A, or one of `every`. like: of each the first that holds the same (EqualSlices), which is shared if it
/// has diagonals; empty to share none.
template <class Offset, class T>
PlannedSlices planned_slices(OpenMP& backend, const HostCsr<T>& a, const Offset* row_ptr,
                             const HostVector<Index>& row_of_slot, Size value_bytes, Index every,
                             std::vector<Index> like) {
    const Index n = (HostCompressedSell<T>{.n_rows = a.n_rows}.n_slices() + every - 1) / every;
    PlannedSlices planned{.slices = HostVector<CompressedSlice>(Size{n} + 1), .like = std::move(like)};
    HostVector<CompressedSlice>& slices = planned.slices;
    const auto first_like = [&](Index slice) -> Index& { return planned.like[static_cast<std::size_t>(slice)]; };
    const auto plan = [&](auto&& wanted) {
        const auto take = [&](Index slice, const SlicePlan<Offset>& of) {
            if (planned.is_shared(slice)) first_like(slice) = slice;
            slices[slice] = {.group = of.n_groups(),
                             .distance = of.n_distances(),
                             .n_groups = static_cast<Index>(of.n_groups()),
                             .columns = of.columns(),
                             .padded = of.padded()};
        };
        for_slice_plans(backend, a, row_ptr, row_of_slot, value_bytes, every, take, wanted,
                        [](Index) { return std::optional<SliceColumns>(); });
    };
    plan([&](Index slice) { return !planned.is_shared(slice); });
    if (!planned.like.empty()) {
        plan([&](Index slice) {
            return planned.is_shared(slice) && slices[first_like(slice)].columns != SliceColumns::diagonals;
        });
    }
    Size group = 0, distance = 0;
    for (Index slice = 0; slice < n; ++slice) {
        if (planned.is_shared(slice)) {
            slices[slice] = slices[first_like(slice)];
        } else {
            group += std::exchange(slices[slice].group, group);
            distance += std::exchange(slices[slice].distance, distance);
        }
        planned.n_groups += slices[slice].n_groups;
    }
    slices[n] = {.group = group, .distance = distance};
    return planned;
}

}  // namespace stiefel
