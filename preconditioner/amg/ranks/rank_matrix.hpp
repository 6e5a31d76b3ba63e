#pragma once

#include "stiefel/preconditioner/amg/ghosts.hpp"
#include "stiefel/spmv/csr.hpp"

#include "stiefel/world/world_matrix.hpp"

#include <vector>

namespace stiefel::amg {

// The rows that a rank holds as one matrix with numbers of its own for columns: those that it holds, and behind them
// those of other ranks, of which a list says who they are. What the set-up of one process does with rows it then does
// with these.

/// ghosts: ascending numbers over all ranks, all columns of others that the rows have and perhaps more.
HostCsr<double> with_ghosts(OpenMP& host, const SplitRows<double>& rows, const std::vector<Size>& ghosts);

/// The same, as rows in the numbers of all ranks: first is that of the first column that the rank holds, of n_own.
WorldRows<double> in_world_numbers(OpenMP& host, const HostCsr<double>& rows, Size first, Index n_own,
                                   const std::vector<Size>& ghosts);

/// How many belong to each rank, as blocks of numbers. All ranks call it at once.
RowBlocks numbered(Ranks& ranks, Index count_here);

}  // namespace stiefel::amg
