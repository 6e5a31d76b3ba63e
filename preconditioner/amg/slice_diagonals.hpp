#pragma once

#include "stiefel/core/types.hpp"

#include <limits>

namespace stiefel::amg {

// Rows of a stencil stand on the same diagonals. Where the 32 of a slice of SELL do, entry j of each is put on the j-th
// of them: of a row that has nothing there the value is +0 and the column is the row's own, which is as good as any
// padding to whoever reads the columns. Whoever knows the diagonals need not read them, and the matrix takes half the
// bytes: these numbers, one for each 32 places of the matrix. A zero that the matrix stores is kept as -0, so that
// padding is told by its bits, and adds nothing whatever x holds.

/// In place of the first diagonal of a slice: its rows do not share them.
inline constexpr Index no_diagonal = std::numeric_limits<Index>::min();

}  // namespace stiefel::amg
