#include "stiefel/spmv/cuda/rows_by_length.hpp"

#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/core/cuda/elements.cuh"
#include "stiefel/spmv/cuda/longest_row.cuh"

#include <algorithm>

namespace stiefel::cuda {

namespace {

template <class Offset>
__global__ void row_lengths_kernel(Index n_rows, const Offset* row_ptr, Index* row_length, Index* longest) {
    const Size row = thread_number();
    Index length = 0;
    if (row < n_rows) {
        length = static_cast<Index>(row_ptr[row + 1] - row_ptr[row]);
        row_length[row] = length;
    }
    raise_to(length, longest);
}

/// The place of a row among its window of sigma rows, longest first and rows of a length in order: how many of them go
/// before it.
__global__ void sort_rows_kernel(Index n_rows, Size n_slots, Index sigma, const Index* row_length, Index* row_of_slot,
                                 int* moved) {
    const Size row = thread_number();
    if (row >= n_slots) return;
    if (row >= n_rows) {
        row_of_slot[row] = n_rows;
        return;
    }
    const Size first = row / sigma * sigma;
    const Size last = min(first + sigma, Size{n_rows});
    const Index length = row_length[row];
    Size place = first;
    for (Size other = first; other < last; ++other) {
        const Index other_length = row_length[other];
        place += other_length > length || (other_length == length && other < row);
    }
    row_of_slot[place] = static_cast<Index>(row);
    if (place != row) *moved = 1;
}

template <class T>
DeviceVector<T> zero(Cuda& backend) {
    DeviceVector<T> one(backend, 1);
    backend.zero_bytes(one.data(), one.bytes());
    return one;
}

}  // namespace

DeviceVector<Index> row_lengths(Cuda& backend, const RowOffsets<DeviceMemory>& row_ptr, Index n_rows, Index& longest) {
    DeviceVector<Index> lengths(backend, n_rows);
    auto maximum = zero<Index>(backend);
    row_ptr.visit([&](const auto* offsets) {
        row_lengths_kernel<<<element_blocks(n_rows), element_threads, 0, backend.stream()>>>(
            n_rows, offsets, lengths.data(), maximum.data());
    });
    check_cuda(cudaGetLastError(), "launching row_lengths");
    longest = load(backend, maximum);
    return lengths;
}

DeviceVector<Index> rows_by_length(Cuda& backend, const DeviceVector<Index>& row_length, Index n_rows, Size n_slots,
                                   Index sigma) {
    if (sigma == 1 || n_rows == 0) return {};
    DeviceVector<Index> rows(backend, n_slots);
    auto moved = zero<int>(backend);
    sort_rows_kernel<<<element_blocks(n_slots), element_threads, 0, backend.stream()>>>(
        n_rows, n_slots, sigma, row_length.data(), rows.data(), moved.data());
    check_cuda(cudaGetLastError(), "launching sort_rows");
    if (load(backend, moved) == 0) return {};
    return rows;
}

}  // namespace stiefel::cuda
