#pragma once

#include "stiefel/preconditioner/triangular/kernel_list.hpp"

namespace stiefel::triangular {

/// What the choice of a kernel hangs on, of these triangles.                                    A pass over the entries
template <class T>
TriangleShape shape_of(const LevelTriangles<T>& triangles);

}  // namespace stiefel::triangular
