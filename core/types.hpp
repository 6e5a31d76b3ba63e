#pragma once

#include <cstdint>

namespace stiefel {

/// Row and column numbers, zero-based. 32 bits bound a dimension by 2^31 - 1 and keep index traffic at 4 bytes.
using Index = std::int32_t;

/// Sizes, counts of nonzeros, positions in an array: signed, so that differences and downward loops are safe.
using Size = std::int64_t;

}  // namespace stiefel
