#pragma once

#include <cmath>

namespace stiefel {

/// The larger of two; NaN if either is, where std::max and comparisons lose it.
inline double larger_or_nan(double a, double b) {
    return a > b || std::isnan(a) ? a : b;
}

}  // namespace stiefel
