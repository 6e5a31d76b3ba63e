#pragma once

#include "stiefel/preconditioner/cholesky/graph.hpp"

namespace stiefel::cholesky {

/// Vertices whose columns of the factor are kept as one dense block, and the order in which they are eliminated.
struct Supernodes {
    HostVector<Index> first = {};   ///< vertex of each, by its place in `order`; and one more
    HostVector<Index> parent = {};  ///< supernode of the first row below its block, -1 at a root; in postorder
    HostVector<Index> order = {};   ///< the vertices, supernode after supernode

    Index size() const { return static_cast<Index>(parent.size()); }
};

/// Chains of vertices whose columns have the same rows below (fundamental supernodes), and those of children that may
/// join them for few zeros that are stored and computed with (Ashcraft and Grimes 1989).
/// parent, counts: elimination tree and column counts of vertices numbered in postorder.               n log(n) steps
Supernodes find_supernodes(const HostVector<Index>& weight, const HostVector<Index>& parent,
                           const HostVector<Size>& counts);

/// Nonzeros of `columns` columns of a factor, the first of which has `rows` of them and each of the others one less.
constexpr Size trapezoid(Size columns, Size rows) {
    return columns * rows - columns * (columns - 1) / 2;
}

}  // namespace stiefel::cholesky
