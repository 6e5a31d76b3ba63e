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
#include <optional>
#include <type_traits>
#include <utility>

// Entries are counted by column and written to the places of theirs as they come, then put in order there, column by
// column. Where a column is long all are sorted by column instead, stably, with their numbers.

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

/// Counts the entries of columns.
__global__ void count_kernel(Size n, const Index* col, Index* count, Index* is_long) {
    const Size k = thread_number();
    if (k < n && atomicAdd(count + col[k], 1) >= longest_ordered_column) *is_long = 1;
}

// Entries go to the last free place of their column: its count says which that is.

__global__ void scatter_numbers_kernel(Size n, const Index* col, Index* count, OffsetsView begin, unsigned* number) {
    const Size k = thread_number();
    if (k < n) number[begin[col[k]] + atomicSub(count + col[k], 1) - 1] = static_cast<unsigned>(k);
}

/// Some lanes a row.
template <class T>
__global__ void scatter_rows_kernel(CsrView<T> a, Index* count, OffsetsView begin, Index* row, T* values) {
    const Size i = thread_number() / lanes_of_row;
    if (i >= a.n_rows) return;
    for (Size k = a.row_ptr[i] + threadIdx.x % lanes_of_row; k < a.row_ptr[i + 1]; k += lanes_of_row) {
        const Index col = a.col_idx[k];
        const Size to = begin[col] + atomicSub(count + col, 1) - 1;
        row[to] = static_cast<Index>(i);
        values[to] = a.values[k];
    }
}

/// Keys, and the values that go with them, from where they came to where they belong.
template <class Key, class T>
struct Ordering {
    const Key* key;
    Key* to_key;
    const T* value;  ///< or none
    T* to_value;
};

/// Some lanes a column: each key goes where as many are less.
template <int lanes, class Key, class T>
__global__ void order_kernel(Index n_cols, OffsetsView begin, Ordering<Key, T> of) {
    const Size j = thread_number() / lanes;
    if (j >= n_cols) return;
    const Size first = begin[j], last = begin[j + 1];
    for (Size e = first + threadIdx.x % lanes; e < last; e += lanes) {
        const Key own = of.key[e];
        Size place = first;
        for (Size other = first; other < last; ++other) place += of.key[other] < own ? 1 : 0;
        of.to_key[place] = own;
        if (of.value != nullptr) of.to_value[place] = of.value[e];
    }
}

template <class Key, class T>
void order(Cuda& backend, Size n, Index n_cols, const OffsetsView& begin, const Ordering<Key, T>& of) {
    const auto start = [&]<int lanes>(std::integral_constant<int, lanes>) {
        order_kernel<lanes>
            <<<element_blocks(Size{n_cols} * lanes), element_threads, 0, backend.stream()>>>(n_cols, begin, of);
    };
    if (n <= Size{32} * n_cols) {
        start(std::integral_constant<int, 8>());
    } else {
        start(std::integral_constant<int, 32>());
    }
    check_cuda(cudaGetLastError(), "ordering the entries of columns");
}

/// The entries of columns, none of them long.
struct ColumnCounts {
    DeviceVector<Index> of_column;
    RowOffsets<DeviceMemory> begin;
};

/// None where a column is so long that to order its entries one by one, in time that grows as the square of their
/// number, would take longer than to sort all.
std::optional<ColumnCounts> counts_of_short_columns(Cuda& backend, const DeviceVector<Index>& column, Index n_cols) {
    const Size n = column.size();
    ColumnCounts counts{.of_column = DeviceVector<Index>(backend, n_cols), .begin = {}};
    DeviceVector<Index> is_long(backend, 1);
    backend.zero_bytes(counts.of_column.data(), counts.of_column.bytes());
    backend.zero_bytes(is_long.data(), is_long.bytes());
    count_kernel<<<element_blocks(n), element_threads, 0, backend.stream()>>>(n, column.data(), counts.of_column.data(),
                                                                              is_long.data());
    check_cuda(cudaGetLastError(), "counting the entries of columns");
    if (load(backend, is_long) != 0) return std::nullopt;
    counts.begin = row_offsets_from_counts(backend, counts.of_column, n);
    return counts;
}

template <class Offset>
RowOffsets<DeviceMemory> column_offsets(Cuda& backend, const DeviceVector<Index>& column, Index n_cols) {
    DeviceVector<Offset> offsets(backend, Size{n_cols} + 1);
    column_offsets_kernel<<<element_blocks(column.size() + 1), element_threads, 0, backend.stream()>>>(
        column.size(), n_cols, column.data(), offsets.data());
    check_cuda(cudaGetLastError(), "finding the rows of a transpose");
    return RowOffsets<DeviceMemory>(std::move(offsets));
}

/// By a radix sort.
ColumnEntries sorted_entries_of_columns(Cuda& backend, const DeviceVector<Index>& column, Index n_cols) {
    const Size n = column.size();
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

template <class T>
DeviceCsr<T> with_room_for_transpose(Cuda& backend, const DeviceCsr<T>& a, RowOffsets<DeviceMemory> begin) {
    DeviceCsr<T> t;
    t.n_rows = a.n_cols;
    t.n_cols = a.n_rows;
    t.row_ptr = std::move(begin);
    t.col_idx = DeviceVector<Index>(backend, a.nnz());
    t.values = DeviceVector<T>(backend, a.nnz());
    return t;
}

/// By numbers of entries.
template <class T>
DeviceCsr<T> sorted_transpose(Cuda& backend, const DeviceCsr<T>& a) {
    const Size nnz = a.nnz();
    ColumnEntries entries = sorted_entries_of_columns(backend, a.col_idx, a.n_cols);
    DeviceVector<Index> row(backend, nnz);
    rows_of_entries_kernel<<<element_blocks(Size{a.n_rows} * lanes_of_row), element_threads, 0, backend.stream()>>>(
        a.n_rows, OffsetsView(a.row_ptr), row.data());
    DeviceCsr<T> t = with_room_for_transpose(backend, a, std::move(entries.begin));
    gather_entries_kernel<<<element_blocks(nnz), element_threads, 0, backend.stream()>>>(
        nnz, entries.number.data(), row.data(), a.values.data(), t.col_idx.data(), t.values.data());
    check_cuda(cudaGetLastError(), "writing a transpose");
    return t;
}

void require_entries_that_can_be_numbered(Size n) {
    require(n <= std::numeric_limits<unsigned>::max(),
            "transpose: on a device a matrix of up to 2^32 - 1 entries can be transposed");
}

}  // namespace

template <class T>
DeviceCsr<T> transpose(Cuda& backend, const DeviceCsr<T>& a, DeviceVector<Index>& count,
                       RowOffsets<DeviceMemory> begin) {
    const Size nnz = a.nnz();
    DeviceVector<Index> row(backend, nnz);
    DeviceVector<T> values(backend, nnz);
    DeviceCsr<T> t = with_room_for_transpose(backend, a, std::move(begin));
    const OffsetsView to(t.row_ptr);
    scatter_rows_kernel<<<element_blocks(Size{a.n_rows} * lanes_of_row), element_threads, 0, backend.stream()>>>(
        CsrView<T>(a), count.data(), to, row.data(), values.data());
    check_cuda(cudaGetLastError(), "writing a transpose");
    order<Index, T>(backend, nnz, t.n_rows, to, {row.data(), t.col_idx.data(), values.data(), t.values.data()});
    return t;
}

ColumnEntries entries_of_columns(Cuda& backend, const DeviceVector<Index>& column, Index n_cols) {
    const Size n = column.size();
    require_entries_that_can_be_numbered(n);
    auto counts = counts_of_short_columns(backend, column, n_cols);
    if (!counts) return sorted_entries_of_columns(backend, column, n_cols);
    ColumnEntries entries{.begin = std::move(counts->begin), .number = DeviceVector<unsigned>(backend, n)};
    const OffsetsView begin(entries.begin);
    DeviceVector<unsigned> number(backend, n);
    scatter_numbers_kernel<<<element_blocks(n), element_threads, 0, backend.stream()>>>(
        n, column.data(), counts->of_column.data(), begin, number.data());
    check_cuda(cudaGetLastError(), "numbering the entries of columns");
    order<unsigned, char>(backend, n, n_cols, begin, {number.data(), entries.number.data(), nullptr, nullptr});
    return entries;
}

template DeviceCsr<double> transpose(Cuda&, const DeviceCsr<double>&, DeviceVector<Index>&, RowOffsets<DeviceMemory>);
template DeviceCsr<float> transpose(Cuda&, const DeviceCsr<float>&, DeviceVector<Index>&, RowOffsets<DeviceMemory>);

}  // namespace cuda

template <class T>
DeviceCsr<T> transpose(Cuda& backend, const DeviceCsr<T>& a) {
    cuda::require_entries_that_can_be_numbered(a.nnz());
    auto counts = cuda::counts_of_short_columns(backend, a.col_idx, a.n_cols);
    if (!counts) return cuda::sorted_transpose(backend, a);
    return cuda::transpose(backend, a, counts->of_column, std::move(counts->begin));
}

template DeviceCsr<double> transpose(Cuda&, const DeviceCsr<double>&);
template DeviceCsr<float> transpose(Cuda&, const DeviceCsr<float>&);

}  // namespace stiefel
