#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/core/reduction.hpp"

#include <algorithm>
#include <array>

namespace stiefel {

/// Below this many bytes a kernel stays on the calling thread: waking the others costs more than they bring. Results
/// do not depend on it.
inline constexpr Size parallel_threshold_bytes = 1 << 18;

/// f(begin, end) for blocks of reduction_block rows that cover 0..n, shared statically among the backend's threads.
template <class F>
void for_each_block(OpenMP& backend, Size n, Size bytes, F&& f) {
    const Size n_blocks = (n + reduction_block - 1) / reduction_block;
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (bytes > parallel_threshold_bytes)
    for (Size block = 0; block < n_blocks; ++block) {
        const Size begin = block * reduction_block;
        f(begin, std::min<Size>(begin + reduction_block, n));
    }
}

/// The sums over all rows of K quantities, where f(begin, end) returns the K sums of one block. Blocks do not depend on
/// the number of threads and neither does the order in which they are added, so neither does any bit of the result.
template <std::size_t K, class F>
std::array<double, K> sum_over_blocks(OpenMP& backend, Size n, Size bytes, F&& f) {
    const Size n_blocks = (n + reduction_block - 1) / reduction_block;
    double* partials = backend.partials(static_cast<Size>(K) * n_blocks);
    for_each_block(backend, n, bytes, [&](Size begin, Size end) {
        const std::array<double, K> sums = f(begin, end);
        for (std::size_t k = 0; k < K; ++k)
            partials[static_cast<Size>(k) * n_blocks + begin / reduction_block] = sums[k];
    });
    std::array<double, K> totals{};
    for (std::size_t k = 0; k < K; ++k) totals[k] = pairwise_sum(partials + static_cast<Size>(k) * n_blocks, n_blocks);
    return totals;
}

}  // namespace stiefel
