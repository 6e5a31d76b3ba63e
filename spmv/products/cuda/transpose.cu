#include "stiefel/core/cuda/check.hpp"
#include "stiefel/core/cuda/early/set_ups.cuh"
#include "stiefel/core/cuda/elements.cuh"
#include "stiefel/spmv/cuda/scan.hpp"
#include "stiefel/spmv/products/cuda/csr_view.cuh"
#include "stiefel/spmv/products/cuda/transpose.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

#include <cub/device/device_radix_sort.cuh>

#include <bit>
#include <limits>

// Entries are sorted by column, stably, with their numbers: those of a column stay in the order of rows.

namespace stiefel {

namespace cuda {

namespace {

constexpr int lanes_of_row = 4;

__global__ void rows_of_entries_kernel(Index n_rows, OffsetsView row_ptr, Index* row) {
    const Size i = thread_number() / lanes_of_row;
    if (i >= n_rows) return;
    for (Size k = row_ptr[i] + threadIdx.x % lanes_of_row; k < row_ptr[i + 1]; k += lanes_of_row) {
        row[k] = static_cast<Index>(i);
    }
}

__global__ void number_kernel(Size n, unsigned* number) {
    const Size k = thread_number();
    if (k < n) number[k] = static_cast<unsigned>(k);
}

/// Offsets of columns from their sorted list: where entry k begins columns, it ends those before.
template <class Offset>
__global__ void column_offsets_kernel(Size nnz, Index n_cols, const Index* col, Offset* offsets) {
    const Size k = thread_number();
    if (k > nnz) return;
    const Index from = k > 0 ? col[k - 1] + 1 : 0;
    const Index to = k < nnz ? col[k] : n_cols;
    for (Index j = from; j <= to; ++j) offsets[j] = static_cast<Offset>(k);
}

template <class T>
__global__ void gather_entries_kernel(Size nnz, const unsigned* number, const Index* row, const T* values,
                                      Index* to_col, T* to_values) {
    const Size e = thread_number();
    if (e >= nnz) return;
    const unsigned k = number[e];
    to_col[e] = row[k];
    to_values[e] = values[k];
}

template <class Offset>
RowOffsets<DeviceMemory> column_offsets(Cuda& backend, const DeviceVector<Index>& column, Index n_cols) {
    DeviceVector<Offset> offsets(backend, Size{n_cols} + 1);
    column_offsets_kernel<<<element_blocks(column.size() + 1), element_threads, 0, backend.stream()>>>(
        column.size(), n_cols, column.data(), offsets.data());
    check_cuda(cudaGetLastError(), "finding the rows of a transpose");
    return RowOffsets<DeviceMemory>(std::move(offsets));
}

}  // namespace

ColumnEntries entries_of_columns(Cuda& backend, const DeviceVector<Index>& column, Index n_cols) {
    const Size n = column.size();
    require(n <= std::numeric_limits<unsigned>::max(),
            "transpose: on a device a matrix of up to 2^32 - 1 entries can be transposed");
    DeviceVector<unsigned> number(backend, n);
    number_kernel<<<element_blocks(n), element_threads, 0, backend.stream()>>>(n, number.data());
    check_cuda(cudaGetLastError(), "numbering the entries of a matrix");
    DeviceVector<Index> sorted(backend, n);
    ColumnEntries entries{.begin = {}, .number = DeviceVector<unsigned>(backend, n)};
    const int bits = std::bit_width(static_cast<unsigned>(n_cols));
    const auto sort = [&](void* room, std::size_t& bytes) {
        check_cuda(cub::DeviceRadixSort::SortPairs(room, bytes, column.data(), sorted.data(), number.data(),
                                                   entries.number.data(), n, 0, bits, backend.stream()),
                   "sorting the entries of a matrix");
    };
    std::size_t bytes = 0;
    sort(nullptr, bytes);
    DeviceVector<char> room(backend, static_cast<Size>(bytes));
    sort(room.data(), bytes);
    entries.begin = RowOffsets<DeviceMemory>::fits_narrow(n) ? column_offsets<std::int32_t>(backend, sorted, n_cols)
                                                             : column_offsets<std::int64_t>(backend, sorted, n_cols);
    return entries;
}

}  // namespace cuda

template <class T>
DeviceCsr<T> transpose(Cuda& backend, const DeviceCsr<T>& a) {
    using namespace cuda;
    const Size nnz = a.nnz();
    ColumnEntries entries = entries_of_columns(backend, a.col_idx, a.n_cols);
    DeviceVector<Index> row(backend, nnz);
    rows_of_entries_kernel<<<element_blocks(Size{a.n_rows} * lanes_of_row), element_threads, 0, backend.stream()>>>(
        a.n_rows, OffsetsView(a.row_ptr), row.data());
    DeviceCsr<T> t;
    t.n_rows = a.n_cols;
    t.n_cols = a.n_rows;
    t.row_ptr = std::move(entries.begin);
    t.col_idx = DeviceVector<Index>(backend, nnz);
    t.values = DeviceVector<T>(backend, nnz);
    gather_entries_kernel<<<element_blocks(nnz), element_threads, 0, backend.stream()>>>(
        nnz, entries.number.data(), row.data(), a.values.data(), t.col_idx.data(), t.values.data());
    check_cuda(cudaGetLastError(), "writing a transpose");
    return t;
}

template DeviceCsr<double> transpose(Cuda&, const DeviceCsr<double>&);
template DeviceCsr<float> transpose(Cuda&, const DeviceCsr<float>&);

}  // namespace stiefel
