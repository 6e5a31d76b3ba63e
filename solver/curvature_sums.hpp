#pragma once

#include <span>

namespace stiefel {

/// Sums over two vectors on the host.
struct CurvatureSums {
    double product = 0;   ///< <x, y>, as if computed in twice the precision of double
    double absolute = 0;  ///< sum of |x_i y_i|
    double xx = 0;        ///< <x, x>
    double yy = 0;        ///< <y, y>
};

/// Compensated: the error of `product` is below eps |<x, y>| + 2 (n eps)^2 sum |x_i y_i| (Ogita, Rump and Oishi 2005).
CurvatureSums curvature_sums(std::span<const double> x, std::span<const double> y);
CurvatureSums curvature_sums(std::span<const float> x, std::span<const float> y);

}  // namespace stiefel
