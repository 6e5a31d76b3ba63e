#pragma once

#include "stiefel/preconditioner/triangular/device_triangle.hpp"

#include <vector>

namespace stiefel::triangular {

/// The order in which a device takes the rows of a triangle.
struct SliceOrder {
    HostVector<Index> nth = {};  ///< where in the order of levels the row of a place stands
    std::vector<Slice> slices = {};
};

/// Rows of a level are sorted by how many lanes their length is worth, those of equal worth stay in their order, and
/// each warp takes as many as it has lanes for. So no lane ever waits for another of its own warp, and a long row
/// holds up no more than a level. level_start: as of LevelTriangle; length: entries of rows in the order of levels.
SliceOrder in_slices(const HostVector<Index>& level_start, const HostVector<Size>& length);

}  // namespace stiefel::triangular
