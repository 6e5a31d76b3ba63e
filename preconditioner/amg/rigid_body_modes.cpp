#include "stiefel/preconditioner/amg/rigid_body_modes.hpp"

#include "stiefel/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiefel::amg {

void check_coordinates(const Coordinates& coordinates, Index n, Index block, Size first_node) {
    const Index dimensions = coordinates.dimensions;
    const bool fits = dimensions == 2 ? block == 2 : dimensions == 3 && (block == 3 || block == 6);
    if (!fits) {
        throw InvalidArgument(fmt::format(
            "amg: {} coordinates and {} unknowns a node: rigid-body modes are known for 2 coordinates with 2 unknowns, "
            "and for 3 coordinates with 3 or 6",
            dimensions, block));
    }
    if (Size{coordinates.nodes} * block != n) {
        throw InvalidArgument(
            fmt::format("amg: coordinates of {} nodes of {} unknowns each, and a matrix of {} rows, which are {} nodes",
                        coordinates.nodes, block, n, n / block));
    }
    require(coordinates.values.size() == static_cast<std::size_t>(Size{coordinates.nodes} * dimensions),
            "amg: as many coordinates are needed as nodes times dimensions");
    for (Index node = 0; node < coordinates.nodes; ++node) {
        for (Index axis = 0; axis < dimensions; ++axis) {
            if (std::isfinite(coordinates(node, axis))) continue;
            throw InvalidArgument(fmt::format("amg: coordinate {} of node {} is {}", axis + 1, first_node + node + 1,
                                              coordinates(node, axis)));
        }
    }
}

Extent extent_of(const Coordinates& coordinates) {
    Extent extent;
    for (Index axis = 0; axis < coordinates.dimensions; ++axis) {
        double& least = extent.least[static_cast<std::size_t>(axis)];
        double& most = extent.most[static_cast<std::size_t>(axis)];
        for (Index node = 0; node < coordinates.nodes; ++node) {
            least = std::min(least, coordinates(node, axis));
            most = std::max(most, coordinates(node, axis));
        }
    }
    return extent;
}

HostVector<double> centred(const Coordinates& coordinates, const Extent& body) {
    HostVector<double> points(Size{coordinates.nodes} * 3, 0.0);
    double reach = 0;
    for (Index axis = 0; axis < coordinates.dimensions; ++axis) {
        const double least = body.least[static_cast<std::size_t>(axis)],
                     most = body.most[static_cast<std::size_t>(axis)];
        const double middle = least / 2 + most / 2;
        for (Index node = 0; node < coordinates.nodes; ++node) {
            points[Size{node} * 3 + axis] = coordinates(node, axis) - middle;
        }
        reach = std::max(reach, most / 2 - least / 2);
    }
    for (double& x : points.span()) x = reach > 0 ? x / reach : 0;
    return points;
}

NearNullSpace rigid_body_modes(const Coordinates& coordinates, Index block, const Extent& body) {
    const bool in_plane = coordinates.dimensions == 2;
    const HostVector<double> points = centred(coordinates, body);
    const Index n_modes = in_plane ? 3 : 6;
    NearNullSpace space{
        .block = block, .modes = n_modes, .values = HostVector<double>(Size{coordinates.nodes} * block * n_modes)};
    for (Index node = 0; node < coordinates.nodes; ++node) {
        for (Index c = 0; c < block; ++c) {
            double* const row = space.row(node * block + c);
            for (Index m = 0; m < n_modes; ++m) row[m] = rigid_motion(points.data() + Size{node} * 3, in_plane, c, m);
        }
    }
    return space;
}

}  // namespace stiefel::amg
