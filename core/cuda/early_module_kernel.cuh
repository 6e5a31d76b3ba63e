#pragma once

#include "stiefel/core/cuda/early_modules.hpp"

// For the headers of core/cuda/early/, of which a source file includes the one that says what uses its module. They are
// headers so that several files compiled as one unit, which are one module, say it once.

namespace stiefel {

namespace {

/// By its address the module is found.
__global__ void early_module_kernel() {}

}  // namespace

}  // namespace stiefel
