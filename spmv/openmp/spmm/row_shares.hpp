#pragma once

#include "stiefel/core/blocks.hpp"
#include "stiefel/core/openmp.hpp"

#include <omp.h>

#include <algorithm>

namespace stiefel {

/// Threads take rows in multiples of this many: 16 rows of one float are a cache line, so no line of a packed Y that
/// begins at one is written by two threads.
inline constexpr Size share_rows = 16;

/// f(first, last) on each thread for its share of 0..n, in whole groups of share_rows. `bytes` is what it all moves.
template <class F>
void for_row_shares(OpenMP& backend, Size n, Size bytes, F&& f) {
    const Size groups = (n + share_rows - 1) / share_rows;
#pragma omp parallel num_threads(backend.threads()) if (bytes > parallel_threshold_bytes)
    {
        const Size first = groups * omp_get_thread_num() / omp_get_num_threads() * share_rows;
        const Size last = groups * (omp_get_thread_num() + 1) / omp_get_num_threads() * share_rows;
        f(first, std::min(last, n));
    }
}

}  // namespace stiefel
