#pragma once

#include "stiefel/preconditioner/cholesky/graph.hpp"

namespace stiefel::cholesky {

/// An order in which neighbours have numbers close to each other, vertices in the order in which they come: reverse
/// Cuthill-McKee (George 1971; George and Liu 1981, chapter 4). Each component is numbered from a vertex at its rim,
/// which is found by going back and forth (George and Liu 1979). The same for the same graph.
/// (n + edges) log(largest degree) steps, on one thread
HostVector<Index> reverse_cuthill_mckee(const Graph& graph);

}  // namespace stiefel::cholesky
