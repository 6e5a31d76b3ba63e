#pragma once

#include "stiefel/core/error.hpp"
#include "stiefel/core/types.hpp"

#include <limits>

namespace stiefel {

/// MPI counts in int.
inline int as_count(Size n) {
    require(n <= std::numeric_limits<int>::max(), "MPI: a message can have 2^31 - 1 bytes at most");
    return static_cast<int>(n);
}

}  // namespace stiefel
