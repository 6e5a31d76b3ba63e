#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/compressed_sell.hpp"
#include "stiefel/spmv/csr.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
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
    EqualSlices(OpenMP& backend, const Entries& entries, const Offset* row_ptr,
                const HostVector<CompressedSlice>& slices)
        : backend_(backend), entries_(entries), row_ptr_(row_ptr), slices_(slices), n_(slices.size() - 1) {}

    /// Of each slice the first that holds the same, or itself. Empty where hardly any does, of more than a thousand by
    /// those in the middle.
    std::vector<Index> find() {
        constexpr Size most_samples = 1024, least_share = 8;
        const Size samples = std::min(n_, most_samples), first = (n_ - samples) / 2;
        const std::vector<Index> sampled = find(first, first + samples);
        if (samples == n_) return sampled;
        Size equal = 0;
        for (Size k = 0; k < samples; ++k) equal += sampled[static_cast<std::size_t>(k)] != first + k;
        if (least_share * equal < samples) return {};
        return find(0, n_);
    }

private:
    using Key = std::uint64_t;
    static constexpr Index height = CompressedSell<double>::slice_height;

    Size begin(Size row) const { return row_ptr_[row]; }
    Key value_bits(Size k) const {
        using T = std::remove_cvref_t<decltype(entries_.a.values[k])>;
        return std::bit_cast<std::conditional_t<sizeof(T) == sizeof(Key), Key, std::uint32_t>>(entries_.a.values[k]);
    }

    /// Those whose rows follow each other and are whole.
    bool may_be_shared(Size slice) const {
        return slices_[slice].columns == SliceColumns::diagonals && slices_[slice].n_groups > 0;
    }

    std::vector<Index> find(Size first, Size end) {
        std::vector<Index> like(static_cast<std::size_t>(end - first));
        std::vector<Key> keys(like.size());
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

    void take_first_of_key(Size first, const std::vector<Key>& keys, std::vector<Index>& like) const {
        constexpr std::size_t none = static_cast<std::size_t>(-1);
        std::vector<std::size_t> table(std::bit_ceil(2 * keys.size() + 1), none);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (!may_be_shared(first + static_cast<Size>(i))) continue;
            std::size_t place = (keys[i] >> 20) & (table.size() - 1);
            while (table[place] != none && keys[table[place]] != keys[i]) place = (place + 1) & (table.size() - 1);
            if (table[place] == none) table[place] = i;
            like[i] = static_cast<Index>(first + static_cast<Size>(table[place]));
        }
    }

    /// The rows have the same diagonals, values and factors, to the bit.
    bool are_equal(Size slice, Size other) const {
        const Size row = slice * height, of = other * height, shift = row - of;
        const Size first = begin(row), first_of = begin(of), n = begin(row + height) - first;
        Size different = 0;
        for (Index lane = 1; lane <= height; ++lane) {
            different |= (begin(row + lane) - first) ^ (begin(of + lane) - first_of);
        }
        if (different != 0) return false;
        for (Index lane = 0; lane < height; ++lane) {
            different |= static_cast<Size>(entries_.row_factor(row + lane) ^ entries_.row_factor(of + lane));
        }
        const Index* const cols = entries_.a.col_idx.data();
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
    const HostVector<CompressedSlice>& slices_;
    Size n_;
};

/// Groups that are left of planned slices where those that hold the same have them once.
template <class Entries, class Offset>
Size shared_groups(OpenMP& backend, const Entries& entries, const Offset* row_ptr,
                   const HostVector<CompressedSlice>& slices) {
    const std::vector<Index> like = EqualSlices<Entries, Offset>(backend, entries, row_ptr, slices).find();
    if (like.empty()) return slices[slices.size() - 1].group;
    Size groups = 0;
    for (std::size_t slice = 0; slice < like.size(); ++slice) {
        if (like[slice] == static_cast<Index>(slice)) groups += slices[static_cast<Size>(slice)].n_groups;
    }
    return groups;
}

}  // namespace stiefel
