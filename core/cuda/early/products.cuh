#pragma once

#include "stiefel/core/cuda/early_module_kernel.cuh"

namespace stiefel {

static const EarlyModule early_module(early_module_kernel, EarlyUse::products);

}  // namespace stiefel
