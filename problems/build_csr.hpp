#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

#include <algorithm>
#include <cstdint>

namespace stiefel {

/// Rows that one thread generates at a stretch.
inline constexpr Index generated_block = 1024;

/// Writes rows [first, last), whose entries start at `position`, and their offsets.
template <class T, class Offset, class Row>
void generate_block(const Row& row, Index first, Index last, Size position, Offset* row_ptr, HostCsr<T>& csr) {
    for (Index i = first; i < last; ++i) {
        row_ptr[i] = static_cast<Offset>(position);
        row(i, [&](Size column, double value) {
            csr.col_idx[position] = static_cast<Index>(column);
            csr.values[position] = static_cast<T>(value);
            ++position;
        });
    }
}

/// Writes all rows in parallel; block b of rows starts at entry block_ptr[b].
template <class Offset, class T, class Row>
RowOffsets<HostMemory> generate_rows(OpenMP& backend, const HostVector<Size>& block_ptr, const Row& row,
                                     HostCsr<T>& csr) {
    const Size n_blocks = block_ptr.size() - 1;
    HostVector<Offset> row_ptr(Size{csr.n_rows} + 1);
    row_ptr[csr.n_rows] = static_cast<Offset>(block_ptr[n_blocks]);
#pragma omp parallel for num_threads(backend.threads()) schedule(static)
    for (Size b = 0; b < n_blocks; ++b) {
        const Size last = std::min<Size>(csr.n_rows, (b + 1) * generated_block);
        generate_block(row, static_cast<Index>(b * generated_block), static_cast<Index>(last), block_ptr[b],
                       row_ptr.data(), csr);
    }
    return RowOffsets<HostMemory>(std::move(row_ptr));
}

/// Builds a CSR matrix from a function that knows its rows: row(i, emit) calls emit(column, value) for each entry of
/// row i in ascending order of columns. It is called twice for each row, first to count and then to write, from several
/// threads, and must say the same both times. No memory beyond the result.
template <class T, class Row>
HostCsr<T> build_csr(OpenMP& backend, Index n_rows, Index n_cols, const Row& row) {
    const Size n_blocks = (Size{n_rows} + generated_block - 1) / generated_block;
    HostVector<Size> block_ptr(n_blocks + 1);
    block_ptr[0] = 0;
#pragma omp parallel for num_threads(backend.threads()) schedule(static)
    for (Size b = 0; b < n_blocks; ++b) {
        const Size last = std::min<Size>(n_rows, (b + 1) * generated_block);
        Size count = 0;
        for (Size i = b * generated_block; i < last; ++i) row(static_cast<Index>(i), [&](Size, double) { ++count; });
        block_ptr[b + 1] = count;
    }
    for (Size b = 0; b < n_blocks; ++b) block_ptr[b + 1] += block_ptr[b];

    const Size nnz = block_ptr[n_blocks];
    HostCsr<T> csr{.n_rows = n_rows,
                   .n_cols = n_cols,
                   .row_ptr = {},
                   .col_idx = HostVector<Index>(nnz),
                   .values = HostVector<T>(nnz)};
    csr.row_ptr = RowOffsets<HostMemory>::fits_narrow(nnz) ? generate_rows<std::int32_t>(backend, block_ptr, row, csr)
                                                           : generate_rows<std::int64_t>(backend, block_ptr, row, csr);
    return csr;
}

}  // namespace stiefel
