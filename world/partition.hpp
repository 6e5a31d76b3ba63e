#pragma once

#include "stiefel/core/memory.hpp"
#include "stiefel/world/ranks.hpp"
#include "stiefel/world/row_blocks.hpp"
#include "stiefel/world/world_matrix.hpp"

#include <vector>

namespace stiefel {

// Rows of a square matrix of symmetric pattern put with other ranks, so that fewer columns lie with others than their
// rows. All ranks call each of these at once. part: of each row of this rank, the rank that it is to go to.

/// Elements that each rank sends in a product, if rows lay so: of each rank, as all are told. Cost: a pass over the
/// entries, and an exchange of the parts of other ranks' rows.
std::vector<Size> elements_sent(Ranks& ranks, const RowBlocks& blocks, const WorldRows<double>& rows,
                                const HostVector<Index>& part);

/// How many rows of all lie apart from the one that they are coupled to most strongly, by |a_ij| / sqrt(a_ii a_jj):
/// with another rank than it, where none of their own rank's is coupled to them as much. Aggregates of rows of one rank
/// know nothing of such. Cost: as above.
Size rows_torn(Ranks& ranks, const RowBlocks& blocks, const WorldRows<double>& rows);

/// Rows as they lie after a partition: each rank's are contiguous in a new numbering, of rows and columns alike, in
/// which those of a rank ascend as before.
struct PartitionedRows {
    RowBlocks blocks;
    WorldRows<double> rows;
    HostVector<Size> before;  ///< the number that each row of this rank had; ascending
};

/// Sends rows to the ranks of their parts. Consumes them. Memory: the entries two times more, 16 bytes each.
PartitionedRows partitioned(Ranks& ranks, const RowBlocks& blocks, WorldRows<double> rows,
                            const HostVector<Index>& part);

}  // namespace stiefel
