#pragma once

#include "stiefel/preconditioner/cholesky/graph.hpp"

namespace stiefel::cholesky {

/// All that can be said of the factor of P A P' without A's values. Rows and columns are numbered as they are
/// eliminated; those of a supernode stand one after another, and supernodes are numbered in postorder.
struct Symbolic {
    Index n = 0;
    HostVector<Index> order = {};         ///< row of A for each row of the factor
    HostVector<Index> place = {};         ///< its inverse
    HostVector<Index> first_column = {};  ///< of each supernode, and one more
    HostVector<Index> parent = {};        ///< supernode of the first row below, -1 at a root
    HostVector<Index> first_child = {};   ///< -1 where there is none
    HostVector<Index> next_sibling = {};  ///< in ascending order; -1 at the last
    HostVector<Index> first_below = {};   ///< the first supernode of the subtree that each is the root of
    HostVector<Size> row_start = {};      ///< of each supernode in `rows`, and one more
    HostVector<Index> rows = {};          ///< below the supernode's own block, ascending
    HostVector<Index> in_parent = {};     ///< where each of them stands in the parent's columns and rows

    Size nonzeros = 0;  ///< of the factor, the zeros that blocks hold beside it included
    double flops = 0;   ///< of the factorisation

    Index size() const { return static_cast<Index>(parent.size()); }
    Index width(Index s) const { return first_column[s + 1] - first_column[s]; }
    Index height(Index s) const { return static_cast<Index>(row_start[s + 1] - row_start[s]); }  ///< rows below
};

/// Cheap and exact, before room for anything is taken: what an ordering leads to.
struct Prediction {
    double nonzeros = 0;  ///< of the factor, without zeros that blocks hold beside it
    double flops = 0;
};

/// What leads from A's pattern to Symbolic, in steps that may be watched; see graph.hpp, ordering.hpp,
/// elimination_tree.hpp, supernodes.hpp.
class Analysis {
public:
    /// Orders the vertices of A's compressed graph and counts what the factor's columns hold.
    explicit Analysis(CompressedGraph groups);

    Prediction prediction() const;
    Symbolic symbolic() const;
    const Graph& graph() const { return graph_; }
    double seconds_of_ordering() const { return seconds_of_ordering_; }

private:
    CompressedGraph groups_;
    HostVector<Index> order_;   // vertices of groups_, in postorder of their tree
    Graph graph_;               // the same graph in that order
    HostVector<Index> parent_;  // of it
    HostVector<Size> counts_;
    double seconds_of_ordering_ = 0;
};

}  // namespace stiefel::cholesky
