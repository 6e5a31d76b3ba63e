#pragma once

#include "stiefel/core/cuda/early_module_kernel.cuh"

namespace stiefel {

static const EarlyModule early_for_fsai(early_module_kernel, EarlyUse::fsai);

}  // namespace stiefel
