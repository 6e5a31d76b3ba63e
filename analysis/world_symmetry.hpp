#pragma once

#include "stiefel/analysis/symmetry.hpp"
#include "stiefel/world/ranks.hpp"
#include "stiefel/world/row_blocks.hpp"

namespace stiefel {

/// check_symmetry of a matrix whose rows lie with several ranks: the same of all entries, told to all. rows: those of
/// this rank, their columns those of the whole matrix. All ranks call it at once. Cost: as check_symmetry, on one
/// thread, and 24 bytes sent for each entry in columns of others.
SymmetryInfo check_symmetry(Ranks& ranks, const RowBlocks& blocks, const HostCsr<double>& rows,
                            double tolerance = rounding_asymmetry<double>);

}  // namespace stiefel
