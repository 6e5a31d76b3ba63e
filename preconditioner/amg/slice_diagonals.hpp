#pragma once

#include "stiefel/core/backend.hpp"
#include "stiefel/core/memory.hpp"

#include <limits>

namespace stiefel::amg {

// Rows of a stencil stand on the same diagonals. Where the 32 of a slice of SELL do, entry j of each is put on the j-th
// of them: of a row that has nothing there the value is +0 and the column is the row's own, which is as good as any
// padding to whoever reads the columns. Whoever knows the diagonals need not read them, and the matrix takes half the
// bytes: these numbers, one for each 32 places of the matrix. A zero that the matrix stores is kept as -0, so that
// padding is told by its bits, and adds nothing whatever x holds.

/// In place of the first diagonal of a slice: its rows do not share them.
inline constexpr Index no_diagonal = std::numeric_limits<Index>::min();

/// What whoever knows them reads of the slices of a matrix.
template <class B>
struct SliceDiagonals {
    VectorOf<B, Index> numbers;  ///< of 32 places each; empty where the matrix has none
    /// Of each slice, where the first one that has the same diagonals and values begins: these stay in a cache. Empty
    /// where hardly any are alike.
    VectorOf<B, Size> begin;
    Size places = 0;  ///< that are read, by any number of slices

    bool empty() const { return numbers.empty(); }
    Size bytes() const { return numbers.bytes() + begin.bytes(); }
    /// Of all places, those that are read.
    double read_share() const { return static_cast<double>(places) / (32.0 * static_cast<double>(numbers.size())); }
};

}  // namespace stiefel::amg
