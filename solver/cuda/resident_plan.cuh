#pragma once

#include "stiefel/core/cuda/reduce.cuh"
#include "stiefel/solver/cuda/row_slots.cuh"

namespace stiefel {

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
