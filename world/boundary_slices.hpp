#pragma once

#include "stiefel/spmv/csr.hpp"

namespace stiefel {

/// The slices of a SELL of 32 slots, and what columns of other ranks have in its rows, dealt out to the blocks of a
/// grid, whose warps take turns at the slices of theirs. Each block gets its share of the outer slices, whose rows have
/// such columns and of which there may be many side by side, and of the inner ones. The outer ones of a block stand
/// together, where they are the last of warps that have the fewest slices: what they wait for is there by then, and
/// they take longer. The inner ones of a block are `runs` of slices that follow each other, each behind the run before
/// of the last block. Entries come in groups of 32, one for each slot of a slice, as those of own columns do.
template <class T, class Memory = HostMemory>
struct BoundarySlices {
    Index slices_of_block = 0;            ///< at most
    Vector<Index, Memory> slice{};        ///< of each place of each block; -1 behind its last
    Vector<Index, Memory> first_outer{};  ///< by block: the place of the first of its outer slices
    Vector<Index, Memory> outer{};  ///< by block: its first outer slice among those of all; and one behind the last
    Vector<Index, Memory> first_group{};  ///< of each outer slice, and one behind the last
    Vector<Index, Memory> ghost{};        ///< 32 a group, the columns among those of others; -1 where a row has none
    Vector<T, Memory> values{};           ///< 32 a group

    Size n_groups() const { return ghost.size() / 32; }
};

/// What a block has of n_slices at most.
constexpr Index most_slices_of_block(Index n_slices, Index n_blocks) {
    return (n_slices + n_blocks - 1) / n_blocks + 1;  // shares of two kinds
}

/// beyond: the i-th of its rows is row boundary[i] of the rank's n_rows, ascending. row_of_slot: as a SELL has it,
/// empty where no row has moved.
template <class T>
BoundarySlices<T> slice_boundary(const HostCsr<T>& beyond, const HostVector<Index>& boundary, Index n_rows,
                                 const HostVector<Index>& row_of_slot, Index n_blocks, Index warps_of_block,
                                 Index runs = 1);

}  // namespace stiefel
