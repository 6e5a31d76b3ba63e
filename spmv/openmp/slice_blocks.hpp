#pragma once

#include "stiefel/spmv/openmp/row_blocks.hpp"

namespace stiefel {

/// What a product reads of a matrix.
template <class Matrix>
Size bytes_read(const Matrix& a) {
    if constexpr (requires { a.bytes_read(); }) {
        return a.bytes_read();
    } else {
        return a.bytes();
    }
}

/// Runs slice(k), which computes y for the rows of slice k of a matrix in slices, over fixed blocks of slices; the
/// inner product, if asked for, is taken over the rows of a block, wherever sorting put them, while they are in the
/// cache.
template <class Matrix, class T, class Slice>
void for_slice_blocks(OpenMP& backend, const Matrix& a, const SpmvArguments<T>& s, Slice&& slice) {
    if (a.n_rows == 0) {
        if (s.dot != nullptr) *s.dot = 0;
        return;
    }
    // Rows that were sorted lie anywhere among some hundred others: small blocks of two threads would write to the same
    // lines (s3rmt3m3 59 us an iteration instead of 52).
    const Index rows = a.row_of_slot.empty() ? rows_of_block(a.n_rows) : reduction_block;
    const Index slices_per_block = std::max(1, rows / a.slice_height);
    const Index n_slices = a.n_slices();
    const Index n_blocks = n_slices / slices_per_block + (n_slices % slices_per_block != 0);
    for_blocks(backend, n_blocks, repays_threads(bytes_read(a), a.n_rows), s.dot, [&](Index block) {
        const Index first = block * slices_per_block;
        const Index last = first + std::min(slices_per_block, n_slices - first);
        for (Index k = first; k < last; ++k) slice(k);
        if (s.dot == nullptr) return 0.0;

        const Size first_slot = Size{first} * a.slice_height;
        const Size end_slot = Size{last} * a.slice_height;
        if (a.row_of_slot.empty()) {
            const Size end_row = std::min<Size>(end_slot, a.n_rows);
            return block_dot(s.x + first_slot, s.y + first_slot, static_cast<Index>(end_row - first_slot));
        }
        double sum = 0;
        for (Size slot = first_slot; slot < end_slot; ++slot) {
            const Index row = a.row_of_slot[slot];
            if (row < a.n_rows) sum += static_cast<double>(s.x[row]) * static_cast<double>(s.y[row]);
        }
        return sum;
    });
}

}  // namespace stiefel
