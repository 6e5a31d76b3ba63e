#include "stiefel/spmv/row_statistics.hpp"

#include "stiefel/core/cuda/check.hpp"
#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/spmv/cuda/row_lengths.cuh"

#include <algorithm>

namespace stiefel {

namespace {

template <class Offset>
__global__ void __launch_bounds__(row_threads)
    lengths_kernel(Index n_rows, const Offset* row_ptr, RowLengthCounts counts) {
    __shared__ RowLengthCounts::Near near;
    counts.begin(near);
    Index first_longest = n_rows;
    for (Size row = RowLanes<1>().row; row < n_rows; row += Size{gridDim.x} * row_threads) {
        const auto length = static_cast<Index>(row_ptr[row + 1] - row_ptr[row]);
        counts.add(near, length);
        if (counts.is_longest(length)) first_longest = min(first_longest, static_cast<Index>(row));
    }
    counts.end(near, first_longest);
}

}  // namespace

template <class T>
RowStatistics row_statistics(Cuda& backend, const DeviceCsr<T>& a) {
    if (a.n_rows == 0) return {};
    const Index longest = a.shares.longest_row;
    DeviceVector<RowLengthCounts::Word> words(backend, RowLengthCounts::words(longest));
    backend.zero_bytes(words.data(), words.bytes());
    const auto enough = static_cast<unsigned>(8 * backend.device().multiprocessors);
    const unsigned blocks = std::min(RowLanes<1>::blocks(a.n_rows), enough);
    a.row_ptr.visit([&](const auto* row_ptr) {
        lengths_kernel<<<blocks, row_threads, 0, backend.stream()>>>(a.n_rows, row_ptr,
                                                                     RowLengthCounts(a.n_rows, longest, words.data()));
    });
    check_cuda(cudaGetLastError(), "counting the lengths of rows");
    HostVector<RowLengthCounts::Word> counted(words.size());
    download(backend, words, counted);
    return RowLengthCounts::statistics(a.n_rows, longest, counted.data());
}

template RowStatistics row_statistics(Cuda&, const DeviceCsr<double>&);
template RowStatistics row_statistics(Cuda&, const DeviceCsr<float>&);

}  // namespace stiefel
