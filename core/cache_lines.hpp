#pragma once

#include "stiefel/core/bandwidth.hpp"
#include "stiefel/core/types.hpp"

#include <cstdint>

namespace stiefel {

inline constexpr Size cache_line_bytes = 64;

/// Whether rows of n_cols elements can be written around the caches, in whole lines: each begins at a line, or they lie
/// without gaps from one on and so many of them fill it. Writing so spares reading what is overwritten.
template <class T>
bool fills_cache_lines(const T* rows, Index n_cols, Size ld) {
    const Size row_bytes = n_cols * static_cast<Size>(sizeof(T));
    const bool whole_lines =
        row_bytes % cache_line_bytes == 0 && ld * static_cast<Size>(sizeof(T)) % cache_line_bytes == 0;
    const bool share_lines = ld == n_cols && row_bytes > 0 && cache_line_bytes % row_bytes == 0;
    return reinterpret_cast<std::uintptr_t>(rows) % cache_line_bytes == 0 && (whole_lines || share_lines);
}

/// Whether what is written in a pass that moves so many bytes will have left the caches before it is read again.
inline bool worth_streaming(Size bytes) {
    static const Size last_level = last_level_cache_bytes();
    return bytes > last_level;
}

}  // namespace stiefel
