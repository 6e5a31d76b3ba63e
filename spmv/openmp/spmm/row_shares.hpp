#pragma once

#include "stiefel/core/blocks.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/openmp/spmm/rows.hpp"

#include <omp.h>

#include <algorithm>

namespace stiefel {

/// Threads take rows in multiples of this many: 16 rows of one float are a cache line, so no line of a packed Y that
/// begins at one is written by two threads.
inline constexpr Size share_rows = 16;

/// f(first, last) on each thread, where bound(t, n_threads) is the first of thread t. `bytes` is what it all moves.
template <class Bound, class F>
void for_shares(OpenMP& backend, Size bytes, Bound&& bound, F&& f) {
#pragma omp parallel num_threads(backend.threads()) if (bytes > parallel_threshold_bytes)
    {
        const int n_threads = omp_get_num_threads();
        f(bound(omp_get_thread_num(), n_threads), bound(omp_get_thread_num() + 1, n_threads));
    }
}

/// Shares of equally many of 0..n, in whole groups.
template <class F>
void for_row_shares(OpenMP& backend, Size n, Size bytes, F&& f, Size group = share_rows) {
    const Size groups = (n + group - 1) / group;
    const auto bound = [&](int thread, int n_threads) { return std::min(groups * thread / n_threads * group, n); };
    for_shares(backend, bytes, bound, f);
}

/// Shares of equally many nonzeros, a row counting as one more, in whole groups; rows are not split.
template <class T, class Offset, class F>
void for_nonzero_shares(OpenMP& backend, const CsrRows<T, Offset>& rows, Size bytes, F&& f, Size group = share_rows) {
    const Size groups = (rows.size() + group - 1) / group;
    const auto items_before = [&](Size n_groups) {
        const Size row = std::min(n_groups * group, rows.size());
        return Size{rows.row_ptr[row]} + row;
    };
    const auto bound = [&](int thread, int n_threads) {
        const Size wanted = items_before(groups) * thread / n_threads;
        Size low = 0;
        for (Size high = groups; low < high;) {
            const Size middle = low + (high - low) / 2;
            if (items_before(middle) < wanted) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return std::min(low * group, rows.size());
    };
    for_shares(backend, bytes, bound, f);
}

/// The same for formats whose rows are of about a length: equally many rows.
template <class Rows, class F>
void for_nonzero_shares(OpenMP& backend, const Rows& rows, Size bytes, F&& f, Size group = share_rows) {
    for_row_shares(backend, rows.size(), bytes, f, group);
}

}  // namespace stiefel
