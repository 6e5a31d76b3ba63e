#pragma once

#include "stiefel/preconditioner/cholesky/graph.hpp"

namespace stiefel::cholesky {

/// The elimination tree of a graph whose vertices are eliminated by their numbers: the parent of v is the first
/// off-diagonal row of column v of the factor, -1 at a root (Liu 1990).                            nnz log(n) steps
HostVector<Index> elimination_tree(const Graph& graph);

/// The vertices of a forest, children before their parent and each subtree without gaps. parent[v] > v or -1.
HostVector<Index> postorder(const HostVector<Index>& parent);

/// For each vertex of a graph that is numbered in postorder, how many rows column v of the factor has, its own
/// included, each with its weight (Gilbert, Ng and Peyton 1994).                           nearly nnz steps
HostVector<Size> column_counts(const Graph& graph, const HostVector<Index>& parent);

}  // namespace stiefel::cholesky
