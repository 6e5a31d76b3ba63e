#pragma once

#include "stiefel/core/types.hpp"

namespace stiefel {

/// Bytes of the largest cache of this machine's first core (0 where it cannot be told).
Size last_level_cache_bytes();

/// Measured memory read bandwidth in bytes per second: the best of a few passes of `threads` threads summing an array
/// of `bytes` bytes with independent vector accumulators. The array must exceed the caches to measure memory.
double read_bandwidth(int threads, Size bytes);

}  // namespace stiefel
