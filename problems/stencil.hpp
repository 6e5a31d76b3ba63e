#pragma once

#include "stiefel/problems/build_csr.hpp"

#include <vector>

namespace stiefel {

/// A box of nx x ny x nz grid points, numbered with x running fastest: point (x, y, z) is row (z ny + y) nx + x.
struct Grid {
    Index nx = 1;
    Index ny = 1;
    Index nz = 1;

    bool contains(Index x, Index y, Index z) const { return x >= 0 && x < nx && y >= 0 && y < ny && z >= 0 && z < nz; }
};

struct GridPoint {
    Index x = 0;
    Index y = 0;
    Index z = 0;
};

/// Number: Index, or Size where the points are more.
template <class Number>
GridPoint point_of_row(const Grid& grid, Number row) {
    const Number plane_row = row / grid.nx;
    return {static_cast<Index>(row % grid.nx), static_cast<Index>(plane_row % grid.ny),
            static_cast<Index>(plane_row / grid.ny)};
}

/// A coefficient and how far from the row's own point its column's point lies.
struct StencilEntry {
    Index dx = 0;
    Index dy = 0;
    Index dz = 0;
    double value = 0;
};

/// The rows of a stencil with constant coefficients and homogeneous Dirichlet conditions, for build_csr: entries that
/// reach outside the grid are left out. Entries come ordered by (dz, dy, dx), which makes the columns ascend.
struct GridStencil {
    Grid grid;
    std::vector<StencilEntry> entries;

    template <class Number, class Emit>
    void operator()(Number i, const Emit& emit) const {
        const auto [x, y, z] = point_of_row(grid, i);
        for (const StencilEntry& e : entries) {
            if (!grid.contains(x + e.dx, y + e.dy, z + e.dz)) continue;
            emit(i + (Size{e.dz} * grid.ny + e.dy) * grid.nx + e.dx, e.value);
        }
    }
};

}  // namespace stiefel
