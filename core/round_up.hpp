#pragma once

#include "stiefel/core/types.hpp"

namespace stiefel {

/// The smallest multiple that is not less than n >= 0.
constexpr Size round_up(Size n, Size multiple) {
    return (n + multiple - 1) / multiple * multiple;
}

}  // namespace stiefel
