#pragma once

#include "stiefel/core/types.hpp"

namespace stiefel {

/// No preconditioning: M = I.
struct Identity {
    static constexpr const char* name = "none";
};

}  // namespace stiefel
