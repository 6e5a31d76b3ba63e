#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/core/world.hpp"
#include "stiefel/spmv/csr.hpp"

namespace stiefel::amg {

/// Nodes in balls of couplings around some nodes, all together.
struct BallSums {
    static constexpr Index most_roots = 32;
    static constexpr int most_nodes = 1000;  ///< a ball of so many is large enough to be judged

    unsigned long long aggregate = 0;  ///< within one strong coupling
    unsigned long long near = 0;       ///< within two
    unsigned long long far = 0;        ///< within four
    unsigned long long coupled = 0;    ///< within four of which any may be the third

    /// The number of roots that n nodes are sampled by, and a root: they keep step with no lines or planes of a grid.
    static constexpr Index roots(Index n) { return n < most_roots ? n : most_roots; }
    static constexpr Index root(Index number, Index n) {
        constexpr double golden = 0.6180339887498949;
        const double at = (number + 1) * golden;
        return static_cast<Index>((at - static_cast<Index>(at)) * n);
    }
};

/// What the graph of a matrix looks like from near by, from a sample of nodes.
struct Neighbourhoods {
    /// Nodes that are strongly coupled to one, on average.
    double strong = 0;
    /// Of the grid that it might be: how a ball of strong couplings grows with its radius.
    double dimension = 0;
    /// Entries of the next matrix for one of this one, if smoothed aggregation makes it: aggregates are balls of radius
    /// 1, and those that lie three steps apart are coupled.
    double smoothed_growth = 0;
};

/// As these balls say, of a matrix of n rows.
Neighbourhoods neighbourhoods(const BallSums& sums, Index n, Size nnz);

/// The diagonal of A must be positive. Takes as long as some thousand rows.
Neighbourhoods sample_neighbourhoods(const HostCsr<double>& a, const HostVector<double>& diagonal);

/// What all processes of a world have found together, each around nodes of its own n rows: the mean, as many rows weigh
/// as much as any others. All call it at once.
Neighbourhoods of_all(World&, const Neighbourhoods& here, Index n);

}  // namespace stiefel::amg
