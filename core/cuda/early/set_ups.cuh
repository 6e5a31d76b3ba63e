#pragma once

#include "stiefel/core/cuda/early_module_kernel.cuh"

namespace stiefel {

static const EarlyModule early_for_set_ups(early_module_kernel, EarlyUse::set_ups);

}  // namespace stiefel
