#pragma once

#include "stiefel/core/cuda/early_module_kernel.cuh"

namespace stiefel {

static const EarlyModule early_for_ranks(early_module_kernel, EarlyUse::ranks);

}  // namespace stiefel
