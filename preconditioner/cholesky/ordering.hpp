#pragma once

#include "stiefel/preconditioner/cholesky/graph.hpp"

namespace stiefel::cholesky {

/// An order of elimination that keeps the fill low, vertices in the order in which they go: approximate minimum degree
/// (Amestoy, Davis and Duff 1996), as Eigen has it. Vertices count alike, whatever they weigh.
HostVector<Index> minimum_degree(const Graph& graph);

}  // namespace stiefel::cholesky
