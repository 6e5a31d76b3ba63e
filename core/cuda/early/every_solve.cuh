#pragma once

#include "stiefel/core/cuda/early_module_kernel.cuh"

namespace stiefel {

static const EarlyModule early_for_every_solve(early_module_kernel, EarlyUse::every_solve);

}  // namespace stiefel
