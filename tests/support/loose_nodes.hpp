#pragma once

#include "stiefel/preconditioner/amg/rigid_body_modes.hpp"
#include "stiefel/problems/elasticity.hpp"

#include "support/matrices.hpp"

#include <utility>
#include <vector>

namespace stiefel::test {

/// An elastic body, and nodes that hang on nothing: each of these is an aggregate of 3 unknowns for 6 modes.
struct BodyWithLooseNodes {
    HostCsr<double> a;
    HostVector<double> points;

    amg::Coordinates coordinates() const {
        return {.nodes = a.n_rows / 3, .dimensions = 3, .values = {points.data(), static_cast<std::size_t>(a.n_rows)}};
    }
};

inline BodyWithLooseNodes body_with_loose_nodes(OpenMP& host, Index side) {
    constexpr Index loose = 20;
    const auto body = elasticity3d<double>(host, side, side, side);
    const auto xyz = elasticity3d_nodes(side, side, side);
    const Index of_body = body.n_rows / 3, nodes = of_body + loose;
    std::vector<std::vector<std::pair<Index, double>>> rows;
    body.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < body.n_rows; ++i) {
            auto& row = rows.emplace_back();
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) row.emplace_back(body.col_idx[k], body.values[k]);
        }
    });
    for (Index i = body.n_rows; i < 3 * nodes; ++i) rows.push_back({{i, 2.0}});
    HostVector<double> points(3 * nodes);
    for (Index axis = 0; axis < 3; ++axis) {
        for (Index i = 0; i < nodes; ++i) {
            points[axis * nodes + i] = i < of_body ? xyz[axis * of_body + i] : 9.0 + (i - of_body) * (axis + 1);
        }
    }
    return {.a = csr_from_rows<double>(3 * nodes, rows), .points = std::move(points)};
}

}  // namespace stiefel::test
