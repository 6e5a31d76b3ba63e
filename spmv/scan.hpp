#pragma once

#include "stiefel/core/openmp.hpp"

#include <omp.h>

#include <vector>

namespace stiefel {

/// First element of share `part` when n elements are dealt evenly to `parts`.
inline Size share_begin(Size n, int parts, int part) {
    return n / parts * part + n % parts * part / parts;
}

/// Replaces values[i] by values[0] + ... + values[i], in parallel: each thread sums its share, then scans it.
template <class Count>
void inclusive_scan(OpenMP& backend, Count* values, Size n) {
    std::vector<Count> share_sum(static_cast<std::size_t>(backend.threads()) + 1, Count{0});
#pragma omp parallel num_threads(backend.threads()) if (n > 4096)
    {
        const int parts = omp_get_num_threads();
        const int part = omp_get_thread_num();
        const Size first = share_begin(n, parts, part);
        const Size last = share_begin(n, parts, part + 1);
        Count sum = 0;
        for (Size i = first; i < last; ++i) sum += values[i];
        share_sum[static_cast<std::size_t>(part) + 1] = sum;
#pragma omp barrier
        Count running = 0;
        for (int before = 0; before <= part; ++before) running += share_sum[static_cast<std::size_t>(before)];
        for (Size i = first; i < last; ++i) {
            running += values[i];
            values[i] = running;
        }
    }
}

}  // namespace stiefel
