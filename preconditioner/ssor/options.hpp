#pragma once

#include "stiefel/core/error.hpp"

namespace stiefel::ssor {

struct Options {
    double omega = 1;  ///< the relaxation factor; 1: symmetric Gauss-Seidel
};

/// Throws InvalidArgument.
inline void check(const Options& options) {
    require(options.omega > 0 && options.omega < 2, "ssor: omega must lie between 0 and 2");
}

}  // namespace stiefel::ssor
