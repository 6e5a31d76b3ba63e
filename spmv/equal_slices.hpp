#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/compressed_sell.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace stiefel {

/// Which slices of CompressedSell hold the same: those of constant coefficients do, wherever they lie alike on a grid.
/// Entries: of A, with their values.
template <class S, class Entries, class Offset>
class EqualSlices {
public:
    EqualSlices(OpenMP& backend, const Entries& entries, const Offset* row_ptr,
                const HostVector<CompressedSlice>& slices)
        : backend_(backend), entries_(entries), row_ptr_(row_ptr), slices_(slices), n_(slices.size() - 1) {}

    /// Of each slice the first that holds the same, or itself. Empty where hardly any does, by those in the middle.
    std::vector<Index> find() {
        constexpr Size most_samples = 1024, least_share = 8;
        const Size samples = std::min(n_, most_samples), first = (n_ - samples) / 2;
        const std::vector<Index> sampled = find(first, first + samples);
        Size equal = 0;
        for (Size k = 0; k < samples; ++k) equal += sampled[static_cast<std::size_t>(k)] != first + k;
        if (least_share * equal < samples) return {};
        return samples == n_ ? sampled : find(0, n_);
    }

private:
    static constexpr Index height = CompressedSell<S>::slice_height;
    using Bits = std::conditional_t<sizeof(S) == sizeof(std::uint64_t), std::uint64_t, std::uint32_t>;

    Size n_entries(Size slice) const { return row_ptr_[(slice + 1) * height] - row_ptr_[slice * height]; }
    Bits bits(Index row, Size k) const { return std::bit_cast<Bits>(entries_.template value<S>(row, k)); }

    /// Those whose rows follow each other and are whole.
    bool may_be_shared(Size slice) const {
        return slices_[slice].columns == SliceColumns::diagonals && slices_[slice].n_groups > 0;
    }

    std::vector<Index> find(Size first, Size end) {
        std::vector<Index> like(static_cast<std::size_t>(end - first));
        std::vector<std::uint64_t> keys(like.size());
        for_each(first, end, [&](Size slice, std::size_t place) {
            like[place] = static_cast<Index>(slice);
            if (may_be_shared(slice)) keys[place] = key(slice);
        });
        take_first_of_key(first, keys, like);
        for_each(first, end, [&](Size slice, std::size_t place) {
            if (like[place] != slice && !are_equal(slice, like[place])) like[place] = static_cast<Index>(slice);
        });
        return like;
    }

    template <class F>
    void for_each(Size first, Size end, const F& f) {
#pragma omp parallel for num_threads(backend_.threads()) schedule(static) if (end - first > 100)
        for (Size slice = first; slice < end; ++slice) f(slice, static_cast<std::size_t>(slice - first));
    }

    /// Different for most that hold something else.
    std::uint64_t key(Size slice) const {
        constexpr std::uint64_t odd = 0x9e3779b97f4a7c15, other_odd = 0xc2b2ae3d27d4eb4f;
        std::uint64_t factor = odd, sum = 0;
        for (Index lane = 0; lane < height; ++lane) {
            const auto row = static_cast<Index>(slice * height + lane);
            for (Size k = row_ptr_[row]; k < row_ptr_[row + 1]; ++k, factor += 2 * odd) {
                const auto diagonal = static_cast<std::uint64_t>(Size{entries_.a.col_idx[k]} - row);
                const std::uint64_t mixed = (bits(row, k) ^ diagonal * other_odd) * factor;
                sum += mixed ^ mixed >> 32;
            }
            sum *= other_odd;
        }
        return sum;
    }

    void take_first_of_key(Size first, const std::vector<std::uint64_t>& keys, std::vector<Index>& like) const {
        constexpr std::size_t none = static_cast<std::size_t>(-1);
        std::vector<std::size_t> table(std::bit_ceil(2 * keys.size() + 1), none);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (!may_be_shared(first + static_cast<Size>(i))) continue;
            std::size_t place = keys[i] & (table.size() - 1);
            while (table[place] != none && keys[table[place]] != keys[i]) place = (place + 1) & (table.size() - 1);
            if (table[place] == none) table[place] = i;
            like[i] = static_cast<Index>(first + static_cast<Size>(table[place]));
        }
    }

    /// The rows have the same diagonals and values, to the bit.
    bool are_equal(Size slice, Size other) const {
        if (n_entries(slice) != n_entries(other)) return false;
        for (Index lane = 0; lane < height; ++lane) {
            const auto row = static_cast<Index>(slice * height + lane), of = static_cast<Index>(other * height + lane);
            const Size length = row_ptr_[row + 1] - row_ptr_[row];
            if (row_ptr_[of + 1] - row_ptr_[of] != length) return false;
            for (Size k = row_ptr_[row], l = row_ptr_[of]; k < row_ptr_[row + 1]; ++k, ++l) {
                const bool same_diagonal = entries_.a.col_idx[k] - row == entries_.a.col_idx[l] - of;
                if (!same_diagonal || bits(row, k) != bits(of, l)) return false;
            }
        }
        return true;
    }

    OpenMP& backend_;
    const Entries& entries_;
    const Offset* row_ptr_;
    const HostVector<CompressedSlice>& slices_;
    Size n_;
};

}  // namespace stiefel
