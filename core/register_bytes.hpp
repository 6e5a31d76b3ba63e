#pragma once

#include "stiefel/core/types.hpp"

namespace stiefel {

namespace {

/// Of a vector register of the processor that a file is compiled for. What is longer, compilers keep in memory, and
/// compare element by element: products took three to five times as long. Each file has its own: those that are
/// compiled for one instruction set each share no function that depends on it.
#if defined(__AVX512F__)
constexpr Index compiled_register_bytes = 64;
#elif defined(__AVX__)
constexpr Index compiled_register_bytes = 32;
#else
constexpr Index compiled_register_bytes = 16;
#endif

}  // namespace

}  // namespace stiefel
