#pragma once

#include "stiefel/core/cuda.hpp"

namespace stiefel {

/// Vectors whose elements the blocks of a loop post to each other as letters of 16 bytes (solver/factored_loop.hpp): q
/// = A p; L q and M q, of two iterations each.
inline constexpr Size posted_vectors = 5;

/// Whether A, L and U = L' of so many bytes stay in the device's second-level cache from one iteration to the next,
/// with the vectors of a loop that multiplies by them in one kernel: x, r, p and what is posted.
template <class T>
bool factors_stay_in_cache(const Cuda& backend, Size n_rows, Size bytes_of_matrices) {
    constexpr Size bytes_a_row = 3 * static_cast<Size>(sizeof(T)) + 16 * posted_vectors;
    return bytes_of_matrices + bytes_a_row * n_rows <= backend.device().l2_bytes;
}

}  // namespace stiefel
