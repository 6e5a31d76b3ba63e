#pragma once

#include "stiefel/core/memory.hpp"
#include "stiefel/world/ranks.hpp"
#include "stiefel/world/row_blocks.hpp"

namespace stiefel::cli {

// Vectors, column after column, between the first rank, which has all of them, and those that hold their rows. All
// ranks call each of these at once.

/// To each rank its rows of the k columns that the first rank has.
HostVector<double> handed_out(Ranks& ranks, const RowBlocks& blocks, const HostVector<double>& columns, Index k);

/// The columns of all ranks, in the first; nothing in the others.
HostVector<double> gathered(Ranks& ranks, const RowBlocks& blocks, const HostVector<double>& here, Index k);

}  // namespace stiefel::cli
