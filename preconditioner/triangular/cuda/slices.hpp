#pragma once

#include "stiefel/preconditioner/triangular/device_triangle.hpp"

#include <vector>

namespace stiefel::triangular {

/// The order in which a device takes the rows of a triangle.
struct SliceOrder {
    HostVector<Index> nth = {};  ///< where in LevelTriangle::row the row of a place stands
    std::vector<Slice> slices = {};
};

/// Rows of a level are sorted by how many lanes their length is worth, those of equal worth stay in their order, and
/// each warp takes as many as it has lanes for. So no lane ever waits for another of its own warp, and a long row
/// holds up no more than a level.
template <class T>
SliceOrder in_slices(const LevelTriangle<T>& a);

}  // namespace stiefel::triangular
