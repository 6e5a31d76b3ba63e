#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/coo.hpp"
#include "stiefel/world/ranks.hpp"
#include "stiefel/world/row_blocks.hpp"
#include "stiefel/world/world_matrix.hpp"

namespace stiefel {

// From entries that lie with any ranks, each those that it has read, to the rows that a rank holds. All ranks call each
// of these at once. The matrix has less than 2^31 rows and columns; symmetric ones have entries of one triangle,
// whichever.

/// Contiguous blocks of rows that cost about as much as each other: an iteration of CG moves some 12 bytes for an entry
/// and 84 for a row. To within one part in 2^14 of the rows. unknowns: of a node, see rows_to_begin_at(). Cost: one
/// pass over the entries, 128 KiB.
RowBlocks balanced_blocks(Ranks& ranks, const Coo<double>& entries, Index unknowns = 0);

/// The rows of this rank, their columns those of the whole matrix: symmetric storage expanded to both triangles,
/// columns ascending, duplicates added up in the order of the ranks that have them and of their entries. Cost: as
/// csr_from_coo, and each entry sent once or twice, 16 bytes; memory for what is sent and for what comes, at once.
CsrFromCoo<double> rows_of_rank(OpenMP& host, Ranks& ranks, const RowBlocks& blocks, Coo<double> entries);

/// The same rows as WorldOperator takes them. Consumes them.
WorldRows<double> as_world_rows(HostCsr<double> rows);

}  // namespace stiefel
