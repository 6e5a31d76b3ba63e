#pragma once

#include "stiefel/core/types.hpp"

namespace stiefel {

/// Throws InvalidArgument: with this diagonal entry in that row, counted from 0, no matrix is positive definite.
[[noreturn]] void refuse_diagonal(Size row, double diagonal);

}  // namespace stiefel
