#pragma once

#include "stiefel/core/cuda/early_modules.hpp"

// Included by the source files whose modules set-ups with products of sparse matrices use on a device.

namespace stiefel {

namespace {

/// By its address the module is found.
__global__ void early_module_kernel() {}

const EarlyModule early_module(early_module_kernel, EarlyUse::products);

}  // namespace

}  // namespace stiefel
