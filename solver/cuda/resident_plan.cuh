#pragma once

#include "stiefel/core/cuda/reduce.cuh"
#include "stiefel/spmv/device_formats.hpp"

namespace stiefel {

// The rows of a format, as the plan below reads them: `slots` in the order of memory, each with a row or with n_rows.

template <class T, class Offset>
struct CsrSlots {
    Index n_rows;
    const Offset* row_ptr;
    const Index* col_idx;
    const T* values;
    static constexpr Size step = 1;
    static constexpr Index alignment = 1;

    __device__ Index row(Index slot) const { return slot; }
    __device__ Size first(Index slot) const { return row_ptr[slot]; }
    __device__ Index length(Index slot) const { return static_cast<Index>(row_ptr[slot + 1] - row_ptr[slot]); }
    /// Where the entries of this slot and all later ones may be put.
    __device__ Size base(Index slot) const { return row_ptr[slot]; }
};

template <class T>
struct SellSlots {
    Index n_rows;
    const Size* slice_ptr;
    const Index* row_length;
    const Index* row_of_slot;
    const Index* col_idx;
    const T* values;
    static constexpr Size step = warp_size;
    static constexpr Index alignment = warp_size;

    __device__ Index row(Index slot) const { return row_of_slot != nullptr ? row_of_slot[slot] : min(slot, n_rows); }
    __device__ Size first(Index slot) const { return slice_ptr[slot / warp_size] + slot % warp_size; }
    __device__ Index length(Index slot) const { return row_length[slot]; }
    __device__ Size base(Index slot) const { return slice_ptr[slot / warp_size]; }
};

template <class T>
struct EllpackSlots {
    Index n_rows;
    Index width;
    Size row_step;
    Size step;
    const Index* row_length;
    const Index* col_idx;
    const T* values;
    static constexpr Index alignment = 1;

    __device__ Index row(Index slot) const { return slot; }
    __device__ Size first(Index slot) const { return slot * row_step; }
    __device__ Index length(Index slot) const { return row_length[slot]; }
    __device__ Size base(Index slot) const { return Size{slot} * width; }
};

/// How a system is spread over the blocks of the resident kernel. Block b has slots b * slots .. (b + 1) * slots, which
/// it numbers from 0; the columns of its entries that belong to other blocks, its halo, follow in its numbering.
template <class T>
struct ResidentPlan {
    int blocks = 0;
    Index slots = 0;  ///< of a block, but for the last
    Index total_slots = 0;
    Index max_halo = 0;         ///< of any block
    Index max_entries = 0;      ///< of any block
    DeviceVector<Index> row;    ///< of a slot; n_rows for an empty one
    DeviceVector<Index> start;  ///< by block: slots + 1 offsets of its slots' entries
    DeviceVector<Size> base;    ///< by block: where its entries begin
    DeviceVector<Index> col;    ///< in the numbering of the block
    DeviceVector<T> value;
    DeviceVector<Index> n_halo;  ///< by block
    DeviceVector<Index> halo;    ///< by block: halo_capacity rows
};

/// Rows and halo that a block may have: three quarters of the places in the table that numbers them.
inline constexpr Index resident_table = 8192;
inline constexpr Index resident_rows = resident_table / 4 * 3;

/// Spreads a system over `blocks` blocks. max_halo is resident_rows or more where it does not fit.
template <class T, class Rows>
ResidentPlan<T> make_resident_plan(Cuda& backend, const Rows& rows, Index total_slots, Size n_stored, int blocks);

}  // namespace stiefel
