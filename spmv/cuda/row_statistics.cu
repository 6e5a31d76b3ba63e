#include "stiefel/spmv/row_statistics.hpp"

#include "stiefel/core/cuda/check.hpp"
#include "stiefel/core/cuda/early/every_solve.cuh"

#include <algorithm>
#include <type_traits>

namespace stiefel {

namespace {

constexpr int threads = 256;

/// Lengths that a block counts by itself before it adds to what all count.
constexpr int near_lengths = 1024;

using Count = unsigned long long;

template <class Offset>
__global__ void lengths_kernel(Index n_rows, const Offset* row_ptr, Index longest, Count* count,
                               Count* longest_row_from_end) {
    __shared__ unsigned near[near_lengths];
    __shared__ Index first;
    if (threadIdx.x == 0) first = n_rows;
    for (int i = static_cast<int>(threadIdx.x); i < near_lengths; i += threads) near[i] = 0;
    __syncthreads();
    Index own_first = n_rows;
    for (Size row = Size{blockIdx.x} * threads + threadIdx.x; row < n_rows; row += Size{gridDim.x} * threads) {
        const auto length = static_cast<Index>(row_ptr[row + 1] - row_ptr[row]);
        if (length < near_lengths) {
            atomicAdd(near + length, 1u);
        } else {
            atomicAdd(count + length, Count{1});
        }
        if (length == longest) own_first = min(own_first, static_cast<Index>(row));
    }
    if (own_first < n_rows) atomicMin(&first, own_first);
    __syncthreads();
    if (threadIdx.x == 0 && first < n_rows) atomicMax(longest_row_from_end, static_cast<Count>(n_rows - first));
    for (int i = static_cast<int>(threadIdx.x); i < near_lengths; i += threads) {
        if (near[i] > 0) atomicAdd(count + i, Count{near[i]});
    }
}

}  // namespace

template <class T>
RowStatistics row_statistics(Cuda& backend, const DeviceCsr<T>& a) {
    if (a.n_rows == 0) return {};
    const Index longest = a.shares.longest_row;
    const Size lengths = std::max<Size>(Size{longest} + 1, near_lengths);
    DeviceVector<Count> count(backend, lengths + 1);  // and the first of the longest rows: the host waits once
    backend.zero_bytes(count.data(), count.bytes());
    const Size enough = Size{8} * backend.device().multiprocessors;
    const auto blocks = static_cast<unsigned>(std::clamp<Size>(a.n_rows / threads, 1, enough));
    a.row_ptr.visit([&](const auto* row_ptr) {
        lengths_kernel<<<blocks, threads, 0, backend.stream()>>>(a.n_rows, row_ptr, longest, count.data(),
                                                                 count.data() + lengths);
    });
    check_cuda(cudaGetLastError(), "counting the lengths of rows");
    HostVector<Count> found(count.size());
    download(backend, count, found);
    HostVector<Size> rows_of_length(Size{longest} + 1);
    for (Size i = 0; i < rows_of_length.size(); ++i) rows_of_length[i] = static_cast<Size>(found[i]);
    return row_statistics(rows_of_length.span(), a.n_rows - static_cast<Index>(found[lengths]));
}

template RowStatistics row_statistics(Cuda&, const DeviceCsr<double>&);
template RowStatistics row_statistics(Cuda&, const DeviceCsr<float>&);

}  // namespace stiefel
