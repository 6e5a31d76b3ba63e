#pragma once

#include "stiefel/world/world_matrix.hpp"

#include <span>

namespace stiefel::amg {

/// Of a row that a rank holds, an entry in a column that another does, by its number over all ranks.
struct BeyondEntry {
    Index row;
    Size column;
    double value;
};

/// As a rank keeps what lies beyond its own columns; `own` is left empty. Entries lie row by row, their columns
/// ascending.
SplitRows<double> beyond_rows(std::span<const BeyondEntry>);

}  // namespace stiefel::amg
