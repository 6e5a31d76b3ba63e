#pragma once

#include "stiefel/preconditioner/ssor/colouring.hpp"
#include "stiefel/preconditioner/ssor/options.hpp"
#include "stiefel/preconditioner/triangular/level_triangle.hpp"

namespace stiefel::ssor {

/// F and F' of M^-1 = F F' = (D / w + L) (w / (2 - w)) D^-1 (D / w + L'), A = L + D + L', rows coming colour after
/// colour: F = (D + w L) D^-1/2 / sqrt(w (2 - w)). Rows keep their numbers; F has as many levels as there are colours.
/// a: symmetric. Throws InvalidArgument naming the row where the diagonal is not positive or an entry not finite.
/// threads: as of in_levels.
template <class T>
triangular::LevelTriangles<T> relaxation_triangles(const HostCsr<T>& a, const Colouring& colouring,
                                                   const Options& options, int threads);

}  // namespace stiefel::ssor
