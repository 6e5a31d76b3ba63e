#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"
#include "stiefel/world/ranks.hpp"
#include "stiefel/world/row_blocks.hpp"

namespace stiefel::amg {

// The unknowns of a node of a matrix whose rows lie with several ranks. All call each of these at once.

/// What all ranks that have rows say, where it is the same and they begin at nodes of so many; else 1. here: 0 in a
/// rank without rows.
Index unknowns_of_all(Ranks&, const RowBlocks& rows, Index here);

/// The same of what each finds in the columns that it holds (find_components).
Index found_unknowns(Ranks&, OpenMP& host, const RowBlocks& rows, const HostCsr<double>& own);

}  // namespace stiefel::amg
