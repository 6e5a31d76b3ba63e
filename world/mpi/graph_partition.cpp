#include "stiefel/world/mpi/graph_partition.hpp"

#ifdef STIEFEL_HAS_SCOTCH
#include "stiefel/world/mpi/scotch_partition.hpp"
#endif
#ifdef STIEFEL_HAS_METIS
#include "stiefel/world/mpi/metis_partition.hpp"
#endif

#include <vector>

namespace stiefel {

std::span<const GraphPartitioner> graph_partitioners() {
    static const std::vector<GraphPartitioner> list{
#ifdef STIEFEL_HAS_SCOTCH
        {"scotch", "PT-Scotch (Chevalier and Pellegrini 2008), by all ranks in parallel", scotch_partition},
#endif
#ifdef STIEFEL_HAS_METIS
        {"metis", "METIS (Karypis and Kumar 1998), by the first rank, which has the whole pattern for a while",
         metis_partition},
#endif
    };
    return list;
}

}  // namespace stiefel
