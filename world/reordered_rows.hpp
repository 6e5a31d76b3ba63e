#pragma once

#include "stiefel/core/memory.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/world/ranks.hpp"
#include "stiefel/world/row_blocks.hpp"
#include "stiefel/world/world_matrix.hpp"

namespace stiefel {

/// P A P' of a square matrix whose rows and columns lie as `blocks` say, where P moves rows within ranks alone: row k
/// of this rank's is its row order[k] of before, and columns follow, those of other ranks by their orders. order: each
/// of this rank's rows once, or InvalidArgument before anything is said to others. All ranks call it at once. Cost: as
/// permuted() of what a rank holds, and one exchange of the halo.
SplitRows<double> reordered(Ranks& ranks, OpenMP& host, const RowBlocks& blocks, SplitRows<double> rows,
                            const HostVector<Index>& order);

}  // namespace stiefel
