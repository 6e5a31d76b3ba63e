#pragma once

#include "stiefel/core/types.hpp"

namespace stiefel {

/// How far ahead of their use the streams of a matrix are asked for. The caches' own prefetchers stop at 4 KiB pages
/// and follow one stream at half the bandwidth of a core; asking ahead in software closes the gap. Measured on Sapphire
/// Rapids, where from 512 to 2048 bytes of indices all do equally well (docs/performance.md).
inline constexpr Size prefetched_indices = 256;  ///< 1 KiB

/// Asks for the cache lines of values and columns that will be used prefetched_indices entries after entry k. One call
/// for each 8 entries reaches every line of both arrays for float and double. Past the arrays' end it does nothing.
template <class T>
[[gnu::always_inline]] inline void prefetch_entries(const T* values, const Index* col_idx, Size k) {
    __builtin_prefetch(values + k + prefetched_indices, 0, 3);
    __builtin_prefetch(col_idx + k + prefetched_indices, 0, 3);
}

}  // namespace stiefel
