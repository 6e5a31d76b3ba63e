#pragma once

#include "stiefel/core/types.hpp"
#include "stiefel/spmv/coo.hpp"
#include "stiefel/world/ranks.hpp"
#include "stiefel/world/row_blocks.hpp"
#include "stiefel/world/world_matrix.hpp"

namespace stiefel {

// Where a rank begins within a plane of a grid in space, or at an odd one, the pairs of nodes that multigrid makes end
// otherwise than in one process, which takes up to a third more iterations. Planes are of nodes in the grid's first two
// directions; of a grid in the plane they are its lines.

/// The rows between a row and its neighbour in the next plane, where all rows are numbered plane by plane, each coupled
/// to that neighbour and to nothing farther away. 0 of any other matrix. All ranks call it at once. Cost: two passes
/// over the entries.
Size plane_of_grid(Ranks& ranks, const Coo<double>& entries);

/// The same, as far as some rows tell: those from `first` on, none of them of the first plane.
Size plane_of_grid(const WorldRows<double>& rows, Size first, Size n_rows);

/// The blocks with the first rows of ranks moved to every other plane, or to planes where that would leave some rank
/// with more than one part in eight above its share. As they were where either would, and without a plane.
RowBlocks at_planes(const RowBlocks& blocks, Size plane);

}  // namespace stiefel
