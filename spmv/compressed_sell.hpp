#pragma once

#include "stiefel/core/memory.hpp"

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace stiefel {

/// How a slice says which columns it has.
enum class SliceColumns : std::uint8_t {
    diagonals,  ///< entry j of row i stands in column i + base[j]: nothing is stored for an entry
    near,       ///< base[j] and 16 bits
    far         ///< base[j] and 32 bits
};

/// Where a slice has what it stores.
struct CompressedSlice {
    Size group = 0;      ///< its first: of 32 values and a base
    Size distance = 0;   ///< its first
    Index n_groups = 0;  ///< which other slices may have as well
    SliceColumns columns = SliceColumns::diagonals;
    bool padded = false;  ///< whether some of its entries are padding

    constexpr Size end_group() const { return group + n_groups; }
};

/// SELL-C-sigma, C = 32, with columns compressed (after Kourtis, Goumas and Koziris 2008): of the 32 entries that stand
/// side by side, the j-th of each row of a slice, the least column is kept and how far the others lie from it. Rows of
/// a stencil, which have the same diagonals, keep those alone. So an entry takes 2 bytes or none beside its value,
/// instead of 4, and rows of diagonals are multiplied without looking up a column.
///
/// Slices of diagonals whose values are the same to the bit, as constant coefficients on a grid leave, have them once:
/// what is multiplied then stays in the cache.
///
/// Padding, where a row has nothing on a diagonal or is shorter than others, is an entry whose bits are all 0. It adds
/// nothing, whatever x holds in the column that it seems to stand in (which A has). A zero that A stores is kept as -0.
template <class T, class Memory = HostMemory>
struct CompressedSell {
    using value_type = T;
    using memory = Memory;
    static constexpr Index slice_height = 32;

    Index n_rows = 0;
    Index n_cols = 0;
    Size n_nonzeros = 0;                        ///< without padding
    Vector<CompressedSlice, Memory> slices{};   ///< and one behind the last
    Vector<Index, Memory> row_of_slot{};        ///< as in Sell: empty where no row moved
    Vector<Index, Memory> base{};               ///< of a group
    Vector<std::uint16_t, Memory> distances{};  ///< 32 a group of a near slice, twice as many of a far one
    Vector<T, Memory> values{};                 ///< 32 a group

    Index n_slices() const { return n_rows / slice_height + (n_rows % slice_height != 0); }
    Size n_slots() const { return Size{n_slices()} * slice_height; }
    /// The row that a slot holds; n_rows for an empty slot.
    Index row(Size slot) const {
        if (!row_of_slot.empty()) return row_of_slot[slot];
        return slot < n_rows ? static_cast<Index>(slot) : n_rows;
    }
    /// That an entry of a group stands in; of padding, one that A has. Host memory only.
    Index column(Index slice, Size group, Index lane) const {
        const CompressedSlice& at = slices[slice];
        const Size place = (group - at.group) * slice_height + lane;
        switch (at.columns) {
            case SliceColumns::diagonals:
                return slice * slice_height + lane + base[group];
            case SliceColumns::near:
                return base[group] + distances[at.distance + place];
            case SliceColumns::far:
                Index distance = 0;
                std::memcpy(&distance, distances.data() + at.distance + 2 * place, sizeof distance);
                return base[group] + distance;
        }
        return 0;
    }
    Size nnz() const { return n_nonzeros; }
    Size bytes() const {
        return slices.bytes() + row_of_slot.bytes() + base.bytes() + distances.bytes() + values.bytes();
    }
    /// What a product reads, wherever from: as much as it takes that nothing is shared.
    Size bytes_read() const { return n_nonzeros * static_cast<Size>(sizeof(T)) + bytes() - values.bytes(); }
};

/// Whether a value that CompressedSell stores is padding.
template <class T>
constexpr bool is_padding(T value) {
    using Bits = std::conditional_t<sizeof(T) == sizeof(std::uint64_t), std::uint64_t, std::uint32_t>;
    return std::bit_cast<Bits>(value) == 0;
}

/// One slice of `every` ones that follow each other, not always the same of them: a grid may repeat itself.
constexpr Index sampled_slice(Index sample, Index every, Index n_slices) {
    const Index slice = sample * every + sample * 7 % every;
    return slice < n_slices ? slice : n_slices - 1;
}

template <class T>
using HostCompressedSell = CompressedSell<T, HostMemory>;

}  // namespace stiefel
