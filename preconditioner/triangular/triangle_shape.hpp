#pragma once

#include "stiefel/preconditioner/triangular/kernel_list.hpp"

namespace stiefel::triangular {

/// In a solve, about: what takes long to make ready has to repay within them.
inline constexpr double applications_of_solve = 200;

/// What the choice of a kernel hangs on, of these triangles.                                    A pass over the entries
template <class T>
TriangleShape shape_of(const LevelTriangles<T>& triangles);

}  // namespace stiefel::triangular
