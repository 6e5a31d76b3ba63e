#pragma once

#include "stiefel/spmv/csr.hpp"
#include "stiefel/world/ranks.hpp"
#include "stiefel/world/world_matrix.hpp"

#include <vector>

namespace stiefel::amg {

// All ranks call these at once, but for gathering().

/// What belongs to numbers of other ranks, of what each rank has of its own.
HostVector<double> brought_from(Ranks&, const RowBlocks&, const std::vector<Size>& numbers,
                                const HostVector<double>& own);

/// A of all ranks, in each of them.
HostCsr<double> gathered_matrix(Ranks&, const RowBlocks& rows, const SplitRows<double>& a);

/// The same in the first rank alone; nothing in the others.
HostCsr<double> matrix_of_first(Ranks&, const RowBlocks& rows, const SplitRows<double>& a);

/// Numbers of all ranks, one after the other, in each of them.
HostVector<double> gathered_values(Ranks&, const HostVector<double>& here);

/// The identity as what makes a vector whole in a rank, of which each has its rows.
SplitRows<double> gathering(const RowBlocks& rows, int rank);

}  // namespace stiefel::amg
