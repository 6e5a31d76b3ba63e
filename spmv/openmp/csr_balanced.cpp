#include "stiefel/spmv/openmp/four_rows.hpp"
#include "stiefel/spmv/openmp/kernels.hpp"
#include "stiefel/spmv/openmp/row_blocks.hpp"
#include "stiefel/spmv/scan.hpp"

#include <omp.h>

// Lay the matrix out as one line of items: the entries of a row, then the row's end, row after row (the merge path of
// Merrill and Garland). Cut it into chunks of equal length: every chunk costs the same however the rows are
// distributed, and a row of millions of entries is shared. A chunk writes the rows that begin and end in it; of a row
// that crosses its borders it leaves sums that are put together afterwards, in order. The cuts depend on the matrix
// alone, so the bits do too.

namespace stiefel::openmp {

namespace {

constexpr Size items_per_chunk = 1 << 14;

/// What a chunk leaves for the pass that puts rows together.
struct Chunk {
    Index open_row = -1;     ///< the row that ends in it but began in an earlier chunk
    bool ends_rows = false;  ///< whether any row ends in it
    double head = 0;         ///< its part of open_row
    double tail = 0;         ///< its part of the row that goes on in the next chunk
    double dot = 0;          ///< <x, y> over the rows that it wrote
};

/// A cut of the line of items: the rows before `row` end before it, and of that row the entries before `entry`.
struct Cut {
    Index row;
    Size entry;
};

/// The cut before an item, which lies in one of the rows low..high.
template <class Offset>
Cut cut_before(Size item, const Offset* row_ptr, Index low, Index high) {
    while (low < high) {
        const Index middle = low + (high - low) / 2;
        if (row_ptr[middle + 1] + Size{middle} < item) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return {low, item - low};
}

/// Sum over the entries first..last of one row, which may be many.
template <class Stored, class T, class Offset>
T long_sum(const CsrArrays<Stored, Offset>& a, const T* x, Size first, Size last) {
    constexpr Size lanes = 16;
    T partial[lanes] = {};
    Size k = first;
    for (; k + lanes <= last; k += lanes) {
        prefetch_entries(a.values, a.col_idx, k);
        prefetch_entries(a.values, a.col_idx, k + lanes / 2);
#pragma omp simd
        for (Size lane = 0; lane < lanes; ++lane) partial[lane] += a.values[k + lane] * x[a.col_idx[k + lane]];
    }
    T sum = a.sum(x, k, last);
    for (T p : partial) sum += p;
    return sum;
}

template <class Stored, class T, class Offset>
Chunk run_chunk(const CsrArrays<Stored, Offset>& a, const SpmvArguments<T>& s, Cut begin, Cut end) {
    Chunk chunk{.ends_rows = begin.row < end.row};
    if (!chunk.ends_rows) {
        chunk.tail = static_cast<double>(long_sum(a, s.x, begin.entry, end.entry));
        return chunk;
    }
    Index first = begin.row;
    if (begin.entry > a.row_ptr[first]) {
        chunk.open_row = first;
        chunk.head = static_cast<double>(long_sum(a, s.x, begin.entry, a.row_ptr[first + 1]));
        ++first;
    }
    multiply_rows_by_four(a, s, first, end.row);
    chunk.tail = static_cast<double>(long_sum(a, s.x, a.row_ptr[end.row], end.entry));
    if (s.dot != nullptr) chunk.dot = block_dot(s.x + first, s.y + first, end.row - first);
    return chunk;
}

template <class Stored, class T, class Offset>
void run_chunks(OpenMP& backend, const CsrArrays<Stored, Offset>& a, const SpmvArguments<T>& s, Index n_rows,
                Size n_items, Chunk* chunks, Size n_chunks) {
#pragma omp parallel num_threads(backend.threads()) if (n_chunks > 1)
    {
        const Size first = share_begin(n_chunks, omp_get_num_threads(), omp_get_thread_num());
        const Size last = share_begin(n_chunks, omp_get_num_threads(), omp_get_thread_num() + 1);
        Cut begin = cut_before(first * items_per_chunk, a.row_ptr, 0, n_rows);
        for (Size c = first; c < last; ++c) {
            const Size end_item = std::min((c + 1) * items_per_chunk, n_items);
            const auto furthest_row = std::min<Size>(n_rows, begin.row + items_per_chunk);
            const Cut end = cut_before(end_item, a.row_ptr, begin.row, static_cast<Index>(furthest_row));
            chunks[c] = run_chunk(a, s, begin, end);
            begin = end;
        }
    }
}

/// Finishes the rows that cross chunks, adding up their parts from first to last.
template <class T>
void finish_open_rows(const SpmvArguments<T>& s, Chunk* chunks, Size n_chunks) {
    double sum_so_far = 0;
    for (Chunk* chunk = chunks; chunk != chunks + n_chunks; ++chunk) {
        if (chunk->open_row >= 0) {
            T& y = s.y[chunk->open_row];
            update_row(y, static_cast<T>(sum_so_far + chunk->head), s.alpha, s.beta);
            if (s.dot != nullptr) chunk->dot += static_cast<double>(s.x[chunk->open_row]) * static_cast<double>(y);
        }
        sum_so_far = chunk->ends_rows ? chunk->tail : sum_so_far + chunk->tail;
    }
}

}  // namespace

template <class Stored, class T>
void csr_balanced(OpenMP& backend, const HostCsr<Stored>& a, const SpmvArguments<T>& s) {
    const Size n_items = a.nnz() + a.n_rows;
    const Size n_chunks = (n_items + items_per_chunk - 1) / items_per_chunk;
    Chunk* const chunks = backend.scratch<Chunk>(n_chunks);
    a.row_ptr.visit([&](const auto* row_ptr) {
        run_chunks(backend, csr_arrays(a, row_ptr), s, a.n_rows, n_items, chunks, n_chunks);
    });
    finish_open_rows(s, chunks, n_chunks);
    if (s.dot == nullptr) return;
    *s.dot = all_sum(backend, pairwise_sum(n_chunks, [&](Size c) { return chunks[c].dot; }));
}

template void csr_balanced(OpenMP&, const HostCsr<double>&, const SpmvArguments<double>&);
template void csr_balanced(OpenMP&, const HostCsr<float>&, const SpmvArguments<float>&);
template void csr_balanced(OpenMP&, const HostCsr<float>&, const SpmvArguments<double>&);

}  // namespace stiefel::openmp
