#include "stiefel/preconditioner/amg/rigid_body_modes.hpp"

#include "stiefel/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace stiefel::amg {

namespace {

using Point = std::array<double, 3>;

/// Nodes around their middle, the farthest at 1 along an axis: so rotations are as large as translations, and wherever
/// the origin is, differences are not lost beside it.
std::vector<Point> centred(const Coordinates& coordinates) {
    std::vector<Point> points(static_cast<std::size_t>(coordinates.nodes), Point{});
    double reach = 0;
    for (Index axis = 0; axis < coordinates.dimensions; ++axis) {
        double least = coordinates(0, axis), most = least;
        for (Index node = 0; node < coordinates.nodes; ++node) {
            least = std::min(least, coordinates(node, axis));
            most = std::max(most, coordinates(node, axis));
        }
        const double middle = least / 2 + most / 2;
        for (Index node = 0; node < coordinates.nodes; ++node) {
            points[static_cast<std::size_t>(node)][static_cast<std::size_t>(axis)] = coordinates(node, axis) - middle;
        }
        reach = std::max(reach, most / 2 - least / 2);
    }
    for (Point& point : points) {
        for (double& x : point) x = reach > 0 ? x / reach : 0;
    }
    return points;
}

}  // namespace

void check_coordinates(const Coordinates& coordinates, Index n, Index block) {
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
            throw InvalidArgument(
                fmt::format("amg: coordinate {} of node {} is {}", axis + 1, Size{node} + 1, coordinates(node, axis)));
        }
    }
}

NearNullSpace rigid_body_modes(const Coordinates& coordinates, Index block) {
    const bool plane = coordinates.dimensions == 2;
    const std::vector<Point> points = centred(coordinates);
    const Index n_modes = plane ? 3 : 6;
    NearNullSpace space{
        .block = block, .modes = n_modes, .values = HostVector<double>(Size{coordinates.nodes} * block * n_modes, 0.0)};
    for (Index node = 0; node < coordinates.nodes; ++node) {
        const auto& [x, y, z] = points[static_cast<std::size_t>(node)];
        const auto u = [&](Index component) { return space.row(node * block + component); };
        for (Index c = 0; c < std::min<Index>(block, 3); ++c) u(c)[c] = 1;
        if (plane) {
            u(0)[2] = -y;
            u(1)[2] = x;
            continue;
        }
        // (1, 0, 0) x (x, y, z), and so on
        u(1)[3] = -z, u(2)[3] = y;
        u(0)[4] = z, u(2)[4] = -x;
        u(0)[5] = -y, u(1)[5] = x;
        for (Index c = 3; c < block; ++c) u(c)[c] = 1;
    }
    return space;
}

}  // namespace stiefel::amg
