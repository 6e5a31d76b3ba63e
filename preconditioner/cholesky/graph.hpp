#pragma once

#include "stiefel/spmv/csr.hpp"

namespace stiefel::cholesky {

/// The graph of a symmetric matrix: the neighbours of vertex v are adjacent[start[v]] .. adjacent[start[v + 1] - 1], v
/// not among them; a vertex stands for weight[v] >= 1 rows.
struct Graph {
    Index n = 0;
    HostVector<Size> start = {};
    HostVector<Index> adjacent = {};
    HostVector<Index> weight = {};
};

/// A graph whose vertices are the rows of A that cannot be told apart: coupled to each other and to the same others, as
/// the unknowns at one node of a mesh. No elimination tells them apart, so whatever is found for a vertex holds for its
/// rows, at a fraction of the work (Ashcraft 1995, "Compressed graphs and the minimum degree algorithm").
struct CompressedGraph {
    Graph graph = {};
    HostVector<Index> first_row = {};  ///< of each vertex in `rows`, and one more
    HostVector<Index> rows = {};       ///< rows of A, vertex after vertex, ascending in each
};

/// a: n x n, every diagonal entry stored. Where its pattern is not symmetric, as that of a matrix that is symmetric up
/// to rounding, the graph is that of A + A'.                                                              c nnz steps
template <class T>
CompressedGraph compressed_graph(const HostCsr<T>& a);

/// How many rows look like the one before them, by the number of their entries and by where these begin and end: nearly
/// all rows but the first at each node where unknowns are numbered node by node. What A's compressed graph leaves out
/// at the least, as a guess that takes n steps.
template <class T>
Index rows_like_the_last(const HostCsr<T>& a);

/// The same graph with its vertices in another order, order[k] as number k; neighbours are in no order.
Graph renumbered(const Graph& graph, const HostVector<Index>& order);

}  // namespace stiefel::cholesky
