#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/compressed_sell.hpp"
#include "stiefel/spmv/csr.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace stiefel {

/// The entries of a matrix as they are.
template <class T>
struct Unscaled {
    const HostCsr<T>& a;

    template <class S>
    S value(Index, Size k) const {
        return a.values[k];
    }
    std::uint64_t row_factor(Size) const { return 0; }
    std::uint64_t column_factor(Index) const { return 0; }
};

/// Which slices of CompressedSell hold the same: those of constant coefficients do, wherever they lie alike on a grid.
/// Entries: `a`, a CSR matrix, and what its values are multiplied with, as bits: row_factor(i), column_factor(j).
template <class Entries, class Offset>
class EqualSlices {
public:
    /// row_of_slot: of all slices; empty where no row moved.
    EqualSlices(OpenMP& backend, const Entries& entries, const Offset* row_ptr, const HostVector<Index>& row_of_slot)
        : backend_(backend), entries_(entries), row_ptr_(row_ptr), row_of_slot_(row_of_slot) {}

    /// Of each slice the first that holds the same, or itself. Of those that are not themselves, all diagonals lie
    /// within the matrix. Empty where hardly any is alike, of more than a thousand by those in the middle.
    std::vector<Index> find() {
        constexpr Size most_samples = 1024, least_share = 8;
        const Size n = HostCompressedSell<double>{.n_rows = entries_.a.n_rows}.n_slices();
        const Size samples = std::min(n, most_samples), first = (n - samples) / 2;
        const std::vector<Index> sampled = find(first, first + samples);
        Size equal = 0;
        for (Size k = 0; k < samples; ++k) equal += sampled[static_cast<std::size_t>(k)] != first + k;
        if (samples < n && least_share * equal < samples) return {};
        return samples < n ? find(0, n) : sampled;
    }

private:
    using Key = std::uint64_t;
    static constexpr Index none = -1;
    static constexpr Index height = CompressedSell<double>::slice_height;

    /// One that others may be like, as far as is known.
    struct Candidate {
        Index slice;
        Key key;
    };
    /// The lowest and the highest of a slice's diagonals.
    struct Extent {
        Index slice;
        Index lowest, highest;
    };

    /// Those that a thread has met last: on a grid hardly a slice is like none of them, so that it is read once.
    class Met {
    public:
        const Extent* find(const auto& is_like) {
            for (std::size_t k = 0; k < n_; ++k) {
                if (!is_like(met_[k].slice)) continue;
                std::rotate(met_.begin(), met_.begin() + static_cast<std::ptrdiff_t>(k),
                            met_.begin() + static_cast<std::ptrdiff_t>(k) + 1);
                return &met_[0];
            }
            return nullptr;
        }
        void add(const Extent& extent) {
            n_ = std::min(n_ + 1, met_.size());
            std::rotate(met_.begin(), met_.end() - 1, met_.end());
            met_[0] = extent;
        }

    private:
        std::array<Extent, 8> met_{};
        std::size_t n_ = 0;
    };

    Size begin(Size row) const { return row_ptr_[row]; }
    Key value_bits(Size k) const {
        using T = std::remove_cvref_t<decltype(entries_.a.values[k])>;
        return std::bit_cast<std::conditional_t<sizeof(T) == sizeof(Key), Key, std::uint32_t>>(entries_.a.values[k]);
    }

    std::vector<Index> find(Size first, Size end) {
        std::vector<Index> like(static_cast<std::size_t>(end - first));
        const int shares = end - first > 100 ? backend_.threads() : 1;
        std::vector<Candidate> candidates(like.size(), Candidate{none, 0});  // nothing is allocated by several threads
#pragma omp parallel for num_threads(shares) schedule(static, 1)
        for (int share = 0; share < shares; ++share) {
            const Size n = end - first;
            compare(first, first + n * share / shares, first + n * (share + 1) / shares, like, candidates);
        }
        std::erase_if(candidates, [](const Candidate& candidate) { return candidate.slice == none; });
        take_first_of_key(first, candidates, like);
#pragma omp parallel for num_threads(shares) schedule(static)
        for (const Candidate& candidate : candidates) {
            Index& of = like[static_cast<std::size_t>(candidate.slice - first)];
            if (of != candidate.slice && !are_equal(candidate.slice, of)) of = candidate.slice;
        }
#pragma omp parallel for num_threads(shares) schedule(static)
        for (Size slice = first; slice < end; ++slice) {
            Index& of = like[static_cast<std::size_t>(slice - first)];
            if (of != slice) of = like[static_cast<std::size_t>(of - first)];
        }
        return like;
    }

    /// Slices from begin to end with those met just before; what is then left to be compared becomes a candidate.
    void compare(Size first, Size begin, Size end, std::vector<Index>& like, std::vector<Candidate>& candidates) const {
        Met met;
        for (Size slice = begin; slice < end; ++slice) {
            Index& of = like[static_cast<std::size_t>(slice - first)];
            of = static_cast<Index>(slice);
            if (!is_in_order(slice)) continue;
            const Extent* const same = met.find([&](Index other) { return are_equal(slice, other); });
            if (same != nullptr) {
                if (is_within(slice, *same)) of = same->slice;
                continue;
            }
            const Extent extent = extent_of(slice);
            if (!is_within(slice, extent)) continue;
            candidates[static_cast<std::size_t>(slice - first)] = {of, key(slice)};
            met.add(extent);
        }
    }

    /// Whole, not empty, its rows one behind the other.
    bool is_in_order(Size slice) const {
        const Size row = slice * height;
        if (row + height > entries_.a.n_rows || begin(row) == begin(row + height)) return false;
        for (Index lane = 0; lane < height && !row_of_slot_.empty(); ++lane) {
            if (row_of_slot_[row + lane] != row + lane) return false;
        }
        return true;
    }

    Extent extent_of(Size slice) const {
        const Index* const cols = entries_.a.col_idx.data();
        Extent extent{static_cast<Index>(slice), std::numeric_limits<Index>::max(), std::numeric_limits<Index>::min()};
        for (Size row = slice * height; row < (slice + 1) * height; ++row) {
            if (begin(row) == begin(row + 1)) continue;
            extent.lowest = std::min(extent.lowest, static_cast<Index>(cols[begin(row)] - row));
            extent.highest = std::max(extent.highest, static_cast<Index>(cols[begin(row + 1) - 1] - row));
        }
        return extent;
    }
    bool is_within(Size slice, const Extent& extent) const {
        return slice * height + extent.lowest >= 0 && (slice + 1) * height - 1 + extent.highest < entries_.a.n_cols;
    }

    /// Different for most that hold something else.
    Key key(Size slice) const {
        constexpr Key odd = 0x9e3779b97f4a7c15, other_odd = 0xc2b2ae3d27d4eb4f, third_odd = 0xff51afd7ed558ccd;
        const Size row = slice * height, first = begin(row), n = begin(row + height) - first;
        const Index* const cols = entries_.a.col_idx.data() + first;
        Key sum = 0;
        for (Index lane = 0; lane < height; ++lane) {
            const auto end = static_cast<Key>(begin(row + lane + 1) - first);
            sum += (end ^ entries_.row_factor(row + lane) * third_odd) * (odd + 2 * static_cast<Key>(lane));
        }
        for (Size k = 0; k < n; ++k) {
            const auto column = static_cast<Key>(cols[k] - row);
            const Key mixed = value_bits(first + k) ^ column * other_odd ^ entries_.column_factor(cols[k]) * third_odd;
            const Key spread = mixed * (odd * (2 * static_cast<Key>(k) + 1));
            sum += spread ^ spread >> 32;
        }
        return sum;
    }

    static void take_first_of_key(Size first, const std::vector<Candidate>& candidates, std::vector<Index>& like) {
        constexpr std::size_t empty = static_cast<std::size_t>(-1);
        std::vector<std::size_t> table(std::bit_ceil(2 * candidates.size() + 1), empty);
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            std::size_t place = (candidates[i].key >> 20) & (table.size() - 1);
            while (table[place] != empty && candidates[table[place]].key != candidates[i].key) {
                place = (place + 1) & (table.size() - 1);
            }
            if (table[place] == empty) table[place] = i;
            like[static_cast<std::size_t>(candidates[i].slice - first)] = candidates[table[place]].slice;
        }
    }

    /// The rows have the same diagonals, values and factors, to the bit.
    bool are_equal(Size slice, Size other) const {
        const Size row = slice * height, of = other * height, shift = row - of;
        const Size first = begin(row), first_of = begin(of), n = begin(row + height) - first;
        const Index* const cols = entries_.a.col_idx.data();
        // Most that differ do so at once.
        if (begin(of + height) - first_of != n || cols[first] - cols[first_of] != shift) return false;
        if (value_bits(first) != value_bits(first_of)) return false;
        Size different = 0;
        for (Index lane = 1; lane <= height; ++lane) {
            different |= (begin(row + lane) - first) ^ (begin(of + lane) - first_of);
        }
        if (different != 0) return false;
        for (Index lane = 0; lane < height; ++lane) {
            different |= static_cast<Size>(entries_.row_factor(row + lane) ^ entries_.row_factor(of + lane));
        }
        for (Size k = 0; k < n; ++k) {
            const Index column = cols[first + k], column_of = cols[first_of + k];
            different |= static_cast<Size>(value_bits(first + k) ^ value_bits(first_of + k));
            different |= static_cast<Size>(entries_.column_factor(column) ^ entries_.column_factor(column_of));
            different |= column - column_of - shift;
        }
        return different == 0;
    }

    OpenMP& backend_;
    const Entries& entries_;
    const Offset* row_ptr_;
    const HostVector<Index>& row_of_slot_;
};

}  // namespace stiefel
