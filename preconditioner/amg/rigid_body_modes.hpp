#pragma once

#include "stiefel/preconditioner/amg/near_null_space.hpp"

#include <span>

namespace stiefel::amg {

/// Where nodes are, lent: the x of all of them, then their y and, in space, their z.
struct Coordinates {
    Index nodes = 0;
    Index dimensions = 0;  ///< 2 or 3; 0: nothing is known
    std::span<const double> values = {};

    double operator()(Index node, Index axis) const {
        return values[static_cast<std::size_t>(Size{axis} * nodes + node)];
    }
};

/// Throws InvalidArgument, which says what would fit, unless they are finite and those of the n / block nodes of n
/// unknowns: 2 for nodes of 2 unknowns, 3 for nodes of 3 or 6.
void check_coordinates(const Coordinates&, Index n, Index block);

/// The motions of a body that strain nothing, and that the matrix of an elastic one therefore takes to zero where it is
/// held nowhere: translations, and rotations about the axes. 3 modes for nodes of 2 unknowns (u, v) in the plane, 6 for
/// nodes of 3 (u, v, w) or of 6 (u, v, w and the rotations about x, y, z) in space.
///   coordinates  as check_coordinates() takes them
NearNullSpace rigid_body_modes(const Coordinates&, Index block);

}  // namespace stiefel::amg
