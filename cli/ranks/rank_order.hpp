#pragma once

#include "stiefel/cli/ranks/rank_matrix.hpp"
#include "stiefel/cli/report/solve_report.hpp"
#include "stiefel/cli/solve/reordering.hpp"

namespace stiefel::cli {

/// Numbers the rows of each rank anew, among themselves, by the couplings of its own rows and columns: as find_order()
/// does for all of one process. What is with which rank stays. All take what `auto` finds in the mean of the ranks, or
/// none does. unknowns: of a node, at whose multiples ranks begin and which stays whole; 0 where they are not told:
/// those that rows tell of (amg::find_components) stay together then. Every diagonal entry is stored. Fills in what the
/// report says of the order. All ranks call it at once. Throws RankFault, in all of them.
void reorder_rows(Ranks& ranks, OpenMP& host, ReorderWord asked, Index unknowns, RankMatrix& matrix,
                  SolveReport::Method& method);

}  // namespace stiefel::cli
