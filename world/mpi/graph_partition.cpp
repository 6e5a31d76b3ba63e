#include "stiefel/world/mpi/graph_partition.hpp"

#ifdef STIEFEL_HAS_SCOTCH
#include "stiefel/world/mpi/scotch_partition.hpp"
#endif
#ifdef STIEFEL_HAS_METIS
#include "stiefel/world/mpi/metis_partition.hpp"
#endif

#include <limits>
#include <vector>

namespace stiefel {

std::span<const GraphPartitioner> graph_partitioners() {
    // METIS takes a second for two to eight million entries, PT-Scotch on two to four ranks of cores 3 to 20 times as
    // long; but METIS has all of them in the first rank.
    static const std::vector<GraphPartitioner> list{
#ifdef STIEFEL_HAS_METIS
        {"metis", "METIS (Karypis and Kumar 1998), by the first rank, which has the whole pattern for a while", 3e7,
         metis_partition},
#endif
#ifdef STIEFEL_HAS_SCOTCH
        {"scotch", "PT-Scotch (Chevalier and Pellegrini 2008), by all ranks in parallel",
         std::numeric_limits<double>::infinity(), scotch_partition},
#endif
    };
    return list;
}

}  // namespace stiefel
