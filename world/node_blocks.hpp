#pragma once

#include "stiefel/world/row_blocks.hpp"

namespace stiefel {

// Rows that are the unknowns of nodes, so many each and one behind the other: displacements at a point, say. What works
// with nodes needs all unknowns of one with one rank.

inline bool begin_at_nodes(const RowBlocks& rows, Index unknowns) {
    for (int rank = 0; rank <= rows.n_ranks(); ++rank) {
        if (rows.first(rank) % unknowns != 0) return false;
    }
    return true;
}

/// Who holds which nodes, of rows that begin at nodes.
inline RowBlocks in_nodes(const RowBlocks& rows, Index unknowns) {
    std::vector<Size> first;
    for (int rank = 0; rank <= rows.n_ranks(); ++rank) first.push_back(rows.first(rank) / unknowns);
    return RowBlocks(std::move(first));
}

/// The reverse of in_nodes().
inline RowBlocks in_unknowns(const RowBlocks& nodes, Index unknowns) {
    std::vector<Size> first;
    for (int rank = 0; rank <= nodes.n_ranks(); ++rank) first.push_back(nodes.first(rank) * unknowns);
    return RowBlocks(std::move(first));
}

/// At multiples of how many rows ranks are to begin, so that none begins within a node. unknowns: of a node, 0 where
/// nobody has told; then they are taken to be 2, 3, 4 or 6, where there are rows enough for a choice.
inline Size rows_to_begin_at(Size n_rows, int n_ranks, Index unknowns) {
    if (unknowns > 0) return unknowns;
    constexpr Size of_nodes = 12, units_to_choose_from = 100;
    return n_rows >= of_nodes * units_to_choose_from * n_ranks ? of_nodes : 1;
}

}  // namespace stiefel
