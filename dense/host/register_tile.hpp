#pragma once

#include "stiefel/core/types.hpp"

namespace stiefel {

/// Transposes square tiles whose rows are one cache line, in registers; one per instruction set.
template <class T>
struct RegisterTile {
    Size edge = 64 / static_cast<Size>(sizeof(T));

    /// to = from', edge x edge. `stream` writes around the caches: rows of `to` must then be aligned to 64 bytes, and
    /// stream_fence() makes them visible to other threads.
    void (*transpose)(const T* from, Size ld_from, T* to, Size ld_to, bool stream) = nullptr;
};

/// The fastest that this machine can run.
template <class T>
const RegisterTile<T>& register_tile();

/// Orders streamed writes before what the thread does next.
void stream_fence();

// One per file, each compiled for its instruction set; to be used only where the processor has it.
extern const RegisterTile<double> baseline_tile_double, avx2_tile_double, avx512_tile_double;
extern const RegisterTile<float> baseline_tile_float, avx2_tile_float, avx512_tile_float;

}  // namespace stiefel
