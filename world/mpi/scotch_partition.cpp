#include "stiefel/world/mpi/scotch_partition.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/world/mpi/adjacency.hpp"

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>

#include <ptscotch.h>

namespace stiefel {

namespace {

/// Throws, in all ranks, where one of them has failed.
void check(Ranks& ranks, int failed, const char* what) {
    double any = failed != 0 ? 1 : 0;
    ranks.all_max(&any, 1);
    if (any != 0) throw Error(std::string("PT-Scotch cannot ") + what);
}

struct Graph {
    SCOTCH_Dgraph graph;
    Graph() { SCOTCH_dgraphInit(&graph, MPI_COMM_WORLD); }
    ~Graph() { SCOTCH_dgraphExit(&graph); }
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
};

/// Asks for the same parts in every run, whichever message comes first.
struct Repeatable {
    SCOTCH_Context context;
    SCOTCH_Dgraph graph;
    explicit Repeatable(SCOTCH_Dgraph& of) {
        SCOTCH_contextInit(&context);
        SCOTCH_contextOptionSetNum(&context, SCOTCH_OPTIONNUMDETERMINISTIC, 1);
        SCOTCH_contextOptionSetNum(&context, SCOTCH_OPTIONNUMRANDOMFIXEDSEED, 1);
        SCOTCH_contextRandomSeed(&context, 1);
        SCOTCH_contextBindDgraph(&context, &of, &graph);
    }
    ~Repeatable() {
        SCOTCH_dgraphExit(&graph);
        SCOTCH_contextExit(&context);
    }
    Repeatable(const Repeatable&) = delete;
    Repeatable& operator=(const Repeatable&) = delete;
};

struct Strategy {
    SCOTCH_Strat strategy;
    Strategy() { SCOTCH_stratInit(&strategy); }
    ~Strategy() { SCOTCH_stratExit(&strategy); }
    Strategy(const Strategy&) = delete;
    Strategy& operator=(const Strategy&) = delete;
};

}  // namespace

HostVector<Index> scotch_partition(Ranks& ranks, const RowBlocks& blocks, const WorldRows<double>& rows) {
    double weight = static_cast<double>(rows.nnz()) + 7.0 * rows.n_rows();
    ranks.all_sum(&weight, 1);
    require(weight < static_cast<double>(std::numeric_limits<SCOTCH_Num>::max()),
            "PT-Scotch, as it is built here, does not count so many entries");
    Adjacency<SCOTCH_Num> own(rows, blocks.first(ranks.rank()));
    const auto n = static_cast<SCOTCH_Num>(rows.n_rows()), n_edges = static_cast<SCOTCH_Num>(own.columns.size());
    own.columns.push_back(0);  // PT-Scotch wants memory where there is no edge too
    own.weights.push_back(0);
    SCOTCH_randomReset();
    Graph graph;
    check(ranks,
          SCOTCH_dgraphBuild(&graph.graph, 0, n, n, own.ptr.data(), nullptr, own.weights.data(), nullptr, n_edges,
                             n_edges, own.columns.data(), nullptr, nullptr),
          "take the matrix");
    Strategy strategy;
    std::vector<SCOTCH_Num> part(static_cast<std::size_t>(n) + 1);
    Repeatable bound(graph.graph);
    check(ranks, SCOTCH_dgraphPart(&bound.graph, ranks.size(), &strategy.strategy, part.data()), "part the matrix");
    HostVector<Index> result(rows.n_rows());
    std::copy_n(part.begin(), n, result.data());
    return result;
}

}  // namespace stiefel
