#pragma once

#include "stiefel/analysis/diagonal_entries.hpp"
#include "stiefel/cli/computation_options.hpp"
#include "stiefel/cli/report/computation_report.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/world/ranks.hpp"
#include "stiefel/world/row_blocks.hpp"
#include "stiefel/world/world_matrix.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace stiefel::cli {

/// The part of a matrix that one of several ranks holds.
struct RankMatrix {
    RowBlocks blocks;
    HostVector<Size> order = {};        ///< the number in the file of each row of this rank; empty if all are as there
    std::string partition = "blocks";   ///< who has said where the rows lie
    std::string partition_reason = {};  ///< why they lie so
    SplitRows<double> rows = {};
    int exponent = 0;               ///< what was read is 2^exponent times this: single precision, see rank_range.hpp
    double norm = 0;                ///< infinity_norm of the whole matrix; 0 where it is not a number
    DiagonalEntries diagonal = {};  ///< of the whole matrix

    Size n_rows() const { return blocks.n_rows(); }
    /// Of a row of this rank, `rank`.
    Size number_in_file(int rank, Index row) const { return order.empty() ? blocks.first(rank) + row : order[row]; }
};

/// The unknowns of a node that the user tells of a matrix of so many rows, which are to stay with one rank; 0 where
/// that is not told. All ranks call it at once.
using UnknownsOfNode = std::function<Index(Size n_rows)>;

/// What each rank has a GPU for.
enum class Gpus { none, for_one_solve, for_many };

/// Who holds the rows of the matrix that `words` names: each rank reads its share of a plain Matrix Market file, other
/// files are read by the first and handed out, and of a generated matrix each makes its rows; then --partition says
/// where they go. Checks it as one process does. Fills in the report's matrix, notes and times. On GPUs the first rank
/// has all rows where one is faster than several. All ranks call it at once. Throws RankFault, in all of them.
RankMatrix read_matrix_on_ranks(Ranks& ranks, OpenMP& host, const ComputationWords& words, std::string_view who_needs,
                                const UnknownsOfNode& unknowns_of, Gpus gpus, ComputationReport& report,
                                StatusLine& status);

/// Of matrices of which nobody tells.
inline Index untold_unknowns(Size) {
    return 0;
}

}  // namespace stiefel::cli
