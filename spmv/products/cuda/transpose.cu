#include "stiefel/core/cuda/check.hpp"
#include "stiefel/core/cuda/early/set_ups.cuh"
#include "stiefel/core/cuda/elements.cuh"
#include "stiefel/spmv/cuda/longest_row.cuh"
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

// Entries are counted by column and their numbers written to its places as they come, then put in order there, column
// by column. Where a column is long all are sorted by column instead, stably, with their numbers.

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

/// Counts the entries of columns. place: of each among those of its column, as they come.
__global__ void count_kernel(Size n, const Index* col, unsigned* count, unsigned* place, Index* longest) {
    const Size k = thread_number();
    if (k < n) place[k] = atomicAdd(count + col[k], 1u);
    raise_to(k < n ? static_cast<Index>(min(place[k] + 1, 1u << 30)) : 0, longest);
}

__global__ void scatter_kernel(Size n, const Index* col, const unsigned* place, OffsetsView begin, unsigned* number) {
    const Size k = thread_number();
    if (k < n) number[begin[col[k]] + place[k]] = static_cast<unsigned>(k);
}

/// Some lanes a column: each number goes where as many are less.
template <int lanes>
__global__ void order_kernel(Index n_cols, OffsetsView begin, const unsigned* number, unsigned* ordered) {
    const Size j = thread_number() / lanes;
    if (j >= n_cols) return;
    const Size first = begin[j], last = begin[j + 1];
    for (Size e = first + threadIdx.x % lanes; e < last; e += lanes) {
        const unsigned own = number[e];
        Size place = first;
        for (Size other = first; other < last; ++other) place += number[other] < own ? 1 : 0;
        ordered[place] = own;
    }
}

template <class Offset>
RowOffsets<DeviceMemory> offsets_of(Cuda& backend, const DeviceVector<unsigned>& count) {
    DeviceVector<Offset> begin(backend, count.size() + 1);
    offsets_from_counts(backend, count, begin);
    return RowOffsets<DeviceMemory>(std::move(begin));
}

/// None where a column is so long that to order its entries one by one, in time that grows as the square of their
/// number, would take longer than to sort all.
std::optional<ColumnEntries> entries_of_short_columns(Cuda& backend, const DeviceVector<Index>& column, Index n_cols) {
    constexpr Index longest_column = 256;
    const Size n = column.size();
    DeviceVector<unsigned> count(backend, n_cols), place(backend, n);
    DeviceVector<Index> longest(backend, 1);
    backend.zero_bytes(count.data(), count.bytes());
    backend.zero_bytes(longest.data(), longest.bytes());
    count_kernel<<<element_blocks(n), element_threads, 0, backend.stream()>>>(n, column.data(), count.data(),
                                                                              place.data(), longest.data());
    check_cuda(cudaGetLastError(), "counting the entries of columns");
    if (load(backend, longest) > longest_column) return std::nullopt;
    ColumnEntries entries{.begin = RowOffsets<DeviceMemory>::fits_narrow(n) ? offsets_of<std::int32_t>(backend, count)
                                                                            : offsets_of<std::int64_t>(backend, count),
                          .number = DeviceVector<unsigned>(backend, n)};
    const OffsetsView begin(entries.begin);
    DeviceVector<unsigned> number(backend, n);
    scatter_kernel<<<element_blocks(n), element_threads, 0, backend.stream()>>>(n, column.data(), place.data(), begin,
                                                                                number.data());
    const auto order = [&]<int lanes>(std::integral_constant<int, lanes>) {
        order_kernel<lanes><<<element_blocks(Size{n_cols} * lanes), element_threads, 0, backend.stream()>>>(
            n_cols, begin, number.data(), entries.number.data());
    };
    if (n <= Size{32} * n_cols) {
        order(std::integral_constant<int, 8>());
    } else {
        order(std::integral_constant<int, 32>());
    }
    check_cuda(cudaGetLastError(), "ordering the entries of columns");
    return entries;
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

}  // namespace

ColumnEntries entries_of_columns(Cuda& backend, const DeviceVector<Index>& column, Index n_cols) {
    require(column.size() <= std::numeric_limits<unsigned>::max(),
            "transpose: on a device a matrix of up to 2^32 - 1 entries can be transposed");
    if (auto entries = entries_of_short_columns(backend, column, n_cols)) return std::move(*entries);
    return sorted_entries_of_columns(backend, column, n_cols);
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
