#pragma once

#include "stiefel/core/memory.hpp"

namespace stiefel {

/// SELL-C-sigma (Kreutzer, Hager, Wellein, Fehske and Bishop 2014): slices of C = slice_height rows, each padded to its
/// own longest row and stored column by column; rows sorted by length within windows of sigma rows, so that rows of a
/// slice are of a length. Slot s = k * C + lane of slice k holds row `row_of_slot[s]` (row s itself while
/// row_of_slot is empty, sigma = 1); its entry j lies at slice_ptr[k] + j * C + lane. The last slice is filled up
/// with empty slots, whose row is n_rows. Padding holds value 0 and repeats the slot's last column (0 if it has none).
template <class T, class Memory>
struct Sell {
    using value_type = T;
    using memory = Memory;

    Index n_rows = 0;
    Index n_cols = 0;
    Size n_nonzeros = 0;  ///< without padding
    Index slice_height = 0;
    Index sigma = 1;
    Vector<Size, Memory> slice_ptr{};     ///< n_slices + 1
    Vector<Index, Memory> row_length{};   ///< n_slices * C, by slot
    Vector<Index, Memory> row_of_slot{};  ///< n_slices * C, or empty where no row moved
    Vector<Index, Memory> col_idx{};      ///< slice_ptr[n_slices]
    Vector<T, Memory> values{};

    Index n_slices() const { return slice_height > 0 ? n_rows / slice_height + (n_rows % slice_height != 0) : 0; }
    Size n_slots() const { return Size{n_slices()} * slice_height; }
    /// The row that a slot holds; n_rows for an empty slot.
    Index row(Size slot) const {
        if (!row_of_slot.empty()) return row_of_slot[slot];
        return slot < n_rows ? static_cast<Index>(slot) : n_rows;
    }

    Size nnz() const { return n_nonzeros; }
    Size bytes() const {
        return slice_ptr.bytes() + row_length.bytes() + row_of_slot.bytes() + col_idx.bytes() + values.bytes();
    }
};

template <class T>
using HostSell = Sell<T, HostMemory>;

}  // namespace stiefel
