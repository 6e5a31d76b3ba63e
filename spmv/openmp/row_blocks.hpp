#pragma once

#include "stiefel/core/block_dot.hpp"
#include "stiefel/core/blocks.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/core/reduction.hpp"
#include "stiefel/spmv/kernel_list.hpp"

#include <algorithm>
#include <bit>

namespace stiefel {

/// Whether threads should share a product with a matrix of so many bytes and rows. Where the vector kernels beside it
/// stay on one thread (blocks.hpp), the others have what they read of x, and write, brought from its cache and back:
/// a line takes as long as some 500 bytes that are read in order (6,525 rows of nine: 46 us an iteration of CG on two
/// threads, 28 on one).
inline bool repays_threads(Size bytes, Index rows) {
    constexpr Size bytes_of_vectors = 5 * sizeof(double), bytes_for_lines = 128;  // of a row
    const bool shares_vectors = bytes_of_vectors * rows > parallel_threshold_bytes;
    return bytes > parallel_threshold_bytes + (shares_vectors ? 0 : bytes_for_lines * rows);
}

/// Rows of a block of a product, which threads are dealt whole blocks of: those of a reduction, and fewer where there
/// are less than 64 of these, for shares that are even. By the rows alone, as the order of a sum follows from it.
inline Index rows_of_block(Index n_rows) {
    constexpr Index least_rows = 64, blocks = 64;
    const auto even = static_cast<Index>(std::bit_floor(static_cast<unsigned>(n_rows / blocks)));
    return std::clamp(even, least_rows, reduction_block);
}

/// Runs block(b) -> double for 0 <= b < n_blocks, on threads a contiguous share each, and if dot is not null sets *dot
/// to the sum of what they return, in an order that does not depend on the threads.
template <class Block>
void for_blocks(OpenMP& backend, Index n_blocks, bool on_threads, double* dot, Block&& block) {
    double* const partials = dot != nullptr ? backend.partials(n_blocks) : nullptr;
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (on_threads)
    for (Index b = 0; b < n_blocks; ++b) {
        const double partial = block(b);
        if (partials != nullptr) partials[b] = partial;
    }
    if (dot != nullptr) *dot = all_sum(backend, pairwise_sum(partials, n_blocks));
}

/// Runs rows(first, last), which computes y for those rows, over fixed blocks of rows; the inner product, if asked for,
/// is taken while a block of y is still in the cache.
template <class Matrix, class T, class Rows>
void for_row_blocks(OpenMP& backend, const Matrix& a, const SpmvArguments<T>& s, Rows&& rows) {
    const Index of_block = rows_of_block(a.n_rows), n_blocks = a.n_rows / of_block + (a.n_rows % of_block != 0);
    for_blocks(backend, n_blocks, repays_threads(a.bytes(), a.n_rows), s.dot, [&](Index block) {
        const Index first = block * of_block;
        const Index count = std::min(of_block, a.n_rows - first);
        rows(first, first + count);
        return s.dot != nullptr ? block_dot(s.x + first, s.y + first, count) : 0.0;
    });
}

}  // namespace stiefel
