#pragma once

#include "stiefel/world/mpi/graph_partition.hpp"

namespace stiefel {

/// GraphPartitioner::partition
HostVector<Index> scotch_partition(Ranks& ranks, const RowBlocks& blocks, const WorldRows<double>& rows);

}  // namespace stiefel
