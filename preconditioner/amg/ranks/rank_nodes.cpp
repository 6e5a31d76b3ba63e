#include "stiefel/preconditioner/amg/ranks/rank_nodes.hpp"

#include "stiefel/preconditioner/amg/nodes.hpp"
#include "stiefel/world/exchange.hpp"
#include "stiefel/world/node_blocks.hpp"

namespace stiefel::amg {

Index unknowns_of_all(Ranks& ranks, const RowBlocks& rows, Index here) {
    Index all = 0;
    for (const Index of_rank : told_to_all(ranks, here)) {
        if (all > 0 && of_rank > 0 && of_rank != all) return 1;
        all = of_rank > 0 ? of_rank : all;
    }
    return all > 0 && begin_at_nodes(rows, all) ? all : 1;
}

Index found_unknowns(Ranks& ranks, OpenMP& host, const RowBlocks& rows, const HostCsr<double>& own) {
    return unknowns_of_all(ranks, rows, own.n_rows == 0 ? 0 : find_components(host, own));
}

}  // namespace stiefel::amg
