#pragma once

#include "stiefel/core/cuda/early_module_kernel.cuh"

namespace stiefel {

static const EarlyModule early_for_multigrid(early_module_kernel, EarlyUse::multigrid);

}  // namespace stiefel
