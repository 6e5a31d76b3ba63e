#pragma once

#include "stiefel/spmv/csr.hpp"

namespace stiefel::ssor {

/// A colour for each row, other than those of the rows that it is coupled to.
struct Colouring {
    Index n_colours = 0;
    HostVector<Index> colour = {};  ///< of each row, from 0
};

/// Row after row the first colour that no row before it has that it is coupled to: two on 5- and 7-point grids, at most
/// one more than the longest row has entries beside the diagonal. a: square, with a symmetric pattern.   O(nnz), one
/// core
template <class T>
Colouring greedy_colouring(const HostCsr<T>& a);

/// Rows colour after colour, those of a colour in their order.
struct RowsByColour {
    HostVector<Index> start = {};  ///< of each colour in `row`, and one more
    HostVector<Index> row = {};
};

RowsByColour rows_by_colour(Index n_colours, const HostVector<Index>& colour);

}  // namespace stiefel::ssor
