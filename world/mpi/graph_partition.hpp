#pragma once

#include "stiefel/core/memory.hpp"
#include "stiefel/world/ranks.hpp"
#include "stiefel/world/row_blocks.hpp"
#include "stiefel/world/world_matrix.hpp"

#include <span>
#include <string_view>

namespace stiefel {

/// A library that puts the rows of a matrix with ranks so that few of its entries couple rows of different ones, and
/// that a product takes about as long in each. Rows count by what an iteration of CG moves: 12 bytes an entry, 84 a
/// row.
struct GraphPartitioner {
    std::string_view name;    ///< "scotch", "metis"
    std::string_view source;  ///< who made it
    double most_entries;      ///< of all ranks, up to which it is taken where nobody asks for it by name
    /// The rank that each row of this rank is to go to, for rows of symmetric pattern; the same in every run. All ranks
    /// call it at once; `ranks` are all processes of MPI. Throws InvalidArgument, in all of them, for more than its
    /// numbers count, and Error where the library gives up.
    HostVector<Index> (*partition)(Ranks& ranks, const RowBlocks& blocks, const WorldRows<double>& rows);
};

/// Those that this build has, the first that takes so many entries the better; perhaps none.
std::span<const GraphPartitioner> graph_partitioners();

}  // namespace stiefel
