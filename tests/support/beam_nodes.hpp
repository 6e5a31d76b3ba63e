#pragma once

#include "stiefel/core/types.hpp"

#include <vector>

namespace stiefel::test {

/// Where the free nodes of elasticity3d() are: the x of all of them, then their y and their z.
inline std::vector<double> beam_nodes(Index nx, Index ny, Index nz) {
    std::vector<double> values;
    for (int axis = 0; axis < 3; ++axis) {
        for (Index z = 0; z <= nz; ++z) {
            for (Index y = 0; y <= ny; ++y) {
                for (Index x = 1; x <= nx; ++x) values.push_back(axis == 0 ? x : axis == 1 ? y : z);
            }
        }
    }
    return values;
}

}  // namespace stiefel::test
