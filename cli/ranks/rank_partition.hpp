#pragma once

#include "stiefel/cli/computation_options.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/world/ranks.hpp"
#include "stiefel/world/row_blocks.hpp"
#include "stiefel/world/world_matrix.hpp"

#include <string>

namespace stiefel::cli {

/// Rows of this rank as they lie, who has said so, and why.
struct RankRows {
    RowBlocks blocks;
    WorldRows<double> rows = {};
    HostVector<Size> order = {};  ///< the number in the file of each row of this rank, ascending; empty if all are as
                                  ///< in the file
    std::string partition = "blocks";
    std::string reason = {};
};

/// Throws UsageError for --partition by a library that this build has not got.
void check_partition(const std::string& word);

/// Puts the rows with the ranks that --partition says, by a library or as they are; auto leaves them where the halo of
/// that order is small, or no library's is smaller. The pattern is symmetric. unknowns: of a node, which stay together,
/// one behind the other; 0 where they are not told: those that rows tell of (amg::find_components) stay together then.
/// All ranks call it at once. Throws RankFault, in all of them.
void part_rows(Ranks& ranks, OpenMP& host, const ComputationWords& words, Index unknowns, RankRows& rows);

}  // namespace stiefel::cli
