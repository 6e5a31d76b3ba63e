#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/core/reduction.hpp"

#include <omp.h>

#include <algorithm>
#include <array>

namespace stiefel {

/// Below this many bytes a kernel stays on the calling thread: waking the others costs more than they bring. Results
/// do not depend on it.
inline constexpr Size parallel_threshold_bytes = 1 << 18;

/// The order in which a thread takes its blocks.
enum class Sweep { forward, backward };

/// f(begin, end) for blocks of reduction_block rows that cover 0..n. Every thread has one contiguous share of them, the
/// same in every kernel, so that it finds in its caches what it touched before.
template <class F>
void for_each_block(OpenMP& backend, Size n, Size bytes, F&& f, Sweep sweep = Sweep::forward) {
    const Size n_blocks = (n + reduction_block - 1) / reduction_block;
#pragma omp parallel num_threads(backend.threads()) if (bytes > parallel_threshold_bytes)
    {
        const Size first = n_blocks * omp_get_thread_num() / omp_get_num_threads();
        const Size last = n_blocks * (omp_get_thread_num() + 1) / omp_get_num_threads();
        for (Size k = first; k < last; ++k) {
            const Size begin = (sweep == Sweep::forward ? k : first + last - 1 - k) * reduction_block;
            f(begin, std::min<Size>(begin + reduction_block, n));
        }
    }
}

/// The sums over all rows of K quantities, where f(begin, end) returns the K sums of one block. Blocks do not depend on
/// the number of threads and neither does the order in which they are added, so neither does any bit of the result.
template <std::size_t K, class F>
std::array<double, K> sum_over_blocks(OpenMP& backend, Size n, Size bytes, F&& f, Sweep sweep = Sweep::forward) {
    const Size n_blocks = (n + reduction_block - 1) / reduction_block;
    double* partials = backend.partials(static_cast<Size>(K) * n_blocks);
    const auto keep_sums = [&](Size begin, Size end) {
        const std::array<double, K> sums = f(begin, end);
        for (std::size_t k = 0; k < K; ++k) {
            partials[static_cast<Size>(k) * n_blocks + begin / reduction_block] = sums[k];
        }
    };
    for_each_block(backend, n, bytes, keep_sums, sweep);
    std::array<double, K> totals{};
    for (std::size_t k = 0; k < K; ++k) totals[k] = pairwise_sum(partials + static_cast<Size>(k) * n_blocks, n_blocks);
    return totals;
}

}  // namespace stiefel
