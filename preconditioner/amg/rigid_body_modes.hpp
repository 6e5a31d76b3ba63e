#pragma once

#include "stiefel/preconditioner/amg/near_null_space.hpp"

#include <array>
#include <cstddef>
#include <limits>
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
/// unknowns: 2 for nodes of 2 unknowns, 3 for nodes of 3 or 6. first_node: how many there are before these, for
/// messages.
void check_coordinates(const Coordinates&, Index n, Index block, Size first_node = 0);

/// The box around nodes along each axis; around none an empty one.
struct Extent {
    static constexpr std::size_t axes = 3;
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    std::array<double, axes> least{infinity, infinity, infinity};
    std::array<double, axes> most{-infinity, -infinity, -infinity};
};
Extent extent_of(const Coordinates&);

/// The motions of a body that strain nothing, and that the matrix of an elastic one therefore takes to zero where it is
/// held nowhere: translations, and rotations about the axes. 3 modes for nodes of 2 unknowns (u, v) in the plane, 6 for
/// nodes of 3 (u, v, w) or of 6 (u, v, w and the rotations about x, y, z) in space.
///   coordinates  as check_coordinates() takes them
///   body         around all nodes, of which these may be some
NearNullSpace rigid_body_modes(const Coordinates&, Index block, const Extent& body);
inline NearNullSpace rigid_body_modes(const Coordinates& all, Index block) {
    return rigid_body_modes(all, block, extent_of(all));
}

/// Three numbers a node: around the middle of the body, the farthest at 1 along an axis. So rotations are as large as
/// translations, and wherever the origin is, differences are not lost beside it.
HostVector<double> centred(const Coordinates&, const Extent& body);

/// What component c of a node at a centred point does in one of the modes: along x, y, z, then about them, of a body
/// that turns about an axis e the velocity e x point; components from the fourth on are the rates of turning.
constexpr double rigid_motion(const double* point, bool in_plane, Index component, Index mode) {
    if (in_plane) return mode < 2 ? component == mode : component == 0 ? -point[1] : point[0];
    if (component >= 3 || mode < 3) return component == mode;
    const Index axis = mode - 3;
    if (component == (axis + 1) % 3) return -point[(axis + 2) % 3];
    return component == (axis + 2) % 3 ? point[(axis + 1) % 3] : 0;
}

}  // namespace stiefel::amg
