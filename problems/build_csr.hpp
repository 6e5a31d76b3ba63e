#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/problems/row_source.hpp"
#include "stiefel/spmv/csr.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace stiefel {

/// Rows that one thread generates at a stretch.
inline constexpr Index generated_block = 1024;

/// Where each block of the rows [first, last) begins among their entries, and how many these are.
template <class Number, class Row>
HostVector<Size> count_blocks(OpenMP& backend, const Row& row, Number first, Number last) {
    const Size n_blocks = (Size{last} - first + generated_block - 1) / generated_block;
    HostVector<Size> block_ptr(n_blocks + 1);
    block_ptr[0] = 0;
#pragma omp parallel for num_threads(backend.threads()) schedule(static)
    for (Size b = 0; b < n_blocks; ++b) {
        const Size begin = first + b * generated_block, end = std::min<Size>(last, begin + generated_block);
        Size count = 0;
        for (Size i = begin; i < end; ++i) row(static_cast<Number>(i), [&](Size, double) { ++count; });
        block_ptr[b + 1] = count;
    }
    for (Size b = 0; b < n_blocks; ++b) block_ptr[b + 1] += block_ptr[b];
    return block_ptr;
}

/// Writes the rows [first, last), of which block b starts at entry block_ptr[b].
template <class Number, class Offset, class Column, class T, class Row>
void write_blocks(OpenMP& backend, const Row& row, Number first, Number last, const HostVector<Size>& block_ptr,
                  Offset* row_ptr, Column* col_idx, T* values) {
    const Size n_blocks = block_ptr.size() - 1;
    row_ptr[last - first] = static_cast<Offset>(block_ptr[n_blocks]);
#pragma omp parallel for num_threads(backend.threads()) schedule(static)
    for (Size b = 0; b < n_blocks; ++b) {
        const Size begin = first + b * generated_block, end = std::min<Size>(last, begin + generated_block);
        Size position = block_ptr[b];
        for (Size i = begin; i < end; ++i) {
            row_ptr[i - first] = static_cast<Offset>(position);
            row(static_cast<Number>(i), [&](Size column, double value) {
                col_idx[position] = static_cast<Column>(column);
                values[position] = static_cast<T>(value);
                ++position;
            });
        }
    }
}

/// Builds a CSR matrix from a function that knows its rows: row(i, emit) calls emit(column, value) for each entry of
/// row i in ascending order of columns. It is called twice for each row, first to count and then to write, from several
/// threads, and must say the same both times. No memory beyond the result.
template <class T, class Row>
HostCsr<T> build_csr(OpenMP& backend, Index n_rows, Index n_cols, const Row& row) {
    const HostVector<Size> block_ptr = count_blocks(backend, row, Index{0}, n_rows);
    const Size nnz = block_ptr[block_ptr.size() - 1];
    HostCsr<T> csr{.n_rows = n_rows,
                   .n_cols = n_cols,
                   .row_ptr = {},
                   .col_idx = HostVector<Index>(nnz),
                   .values = HostVector<T>(nnz)};
    const auto write = [&]<class Offset>(HostVector<Offset> row_ptr) {
        write_blocks(backend, row, Index{0}, n_rows, block_ptr, row_ptr.data(), csr.col_idx.data(), csr.values.data());
        csr.row_ptr = RowOffsets<HostMemory>(std::move(row_ptr));
    };
    if (RowOffsets<HostMemory>::fits_narrow(nnz)) {
        write(HostVector<std::int32_t>(Size{n_rows} + 1));
    } else {
        write(HostVector<std::int64_t>(Size{n_rows} + 1));
    }
    return csr;
}

template <class T, class Row>
HostCsr<T> build_square_csr(OpenMP& backend, Size n, const Row& row) {
    return build_csr<T>(backend, static_cast<Index>(n), static_cast<Index>(n), row);
}

/// The same function, which takes rows counted in 64 bits too, as a source of any of its rows.
template <class Row>
RowSource row_source(Size n_rows, Size n_cols, Row row) {
    const auto make = [row = std::move(row)](OpenMP& backend, Size first, Size last) {
        const HostVector<Size> block_ptr = count_blocks(backend, row, first, last);
        const Size nnz = block_ptr[block_ptr.size() - 1];
        WorldRows<double> rows{HostVector<Size>(last - first + 1), HostVector<Size>(nnz), HostVector<double>(nnz)};
        write_blocks(backend, row, first, last, block_ptr, rows.row_ptr.data(), rows.col_idx.data(),
                     rows.values.data());
        return rows;
    };
    return {n_rows, n_cols, make};
}

}  // namespace stiefel
