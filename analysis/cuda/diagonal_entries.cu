#include "stiefel/analysis/diagonal_entries.hpp"
#include "stiefel/core/cuda/check.hpp"
#include "stiefel/core/cuda/early/every_solve.cuh"

#include <algorithm>

namespace stiefel {

namespace {

constexpr int threads = 128;

template <class T, class Offset>
__global__ void __launch_bounds__(threads) diagonal_kernel(Index n_rows, const Offset* row_ptr, const Index* col_idx,
                                                           const T* values, PartialDiagonal* of_block) {
    // Raw, as shared variables have no constructors.
    __shared__ __align__(16) unsigned char bytes[threads * sizeof(PartialDiagonal)];
    auto* const of_thread = reinterpret_cast<PartialDiagonal*>(bytes);
    PartialDiagonal own;
    for (Size row = Size{blockIdx.x} * threads + threadIdx.x; row < n_rows; row += Size{gridDim.x} * threads) {
        own.add_row(static_cast<Index>(row), row_ptr, col_idx, values);
    }
    of_thread[threadIdx.x] = own;
    for (unsigned half = threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) of_thread[threadIdx.x].merge(of_thread[threadIdx.x + half]);
    }
    if (threadIdx.x == 0) of_block[blockIdx.x] = of_thread[0];
}

}  // namespace

template <class T>
DiagonalEntries diagonal_entries(Cuda& backend, const DeviceCsr<T>& a) {
    require(a.n_rows == a.n_cols, "diagonal_entries: A must be square");
    if (a.n_rows == 0) return {};
    const Size enough = Size{8} * backend.device().multiprocessors;
    DeviceVector<PartialDiagonal> of_block(backend, std::clamp<Size>(a.n_rows / threads, 1, enough));
    a.row_ptr.visit([&](const auto* row_ptr) {
        diagonal_kernel<<<static_cast<unsigned>(of_block.size()), threads, 0, backend.stream()>>>(
            a.n_rows, row_ptr, a.col_idx.data(), a.values.data(), of_block.data());
    });
    check_cuda(cudaGetLastError(), "looking at the diagonal");
    HostVector<PartialDiagonal> found(of_block.size());
    download(backend, of_block, found);
    PartialDiagonal total;
    for (const PartialDiagonal& partial : found) total.merge(partial);
    return total;
}

template DiagonalEntries diagonal_entries(Cuda&, const DeviceCsr<double>&);
template DiagonalEntries diagonal_entries(Cuda&, const DeviceCsr<float>&);

}  // namespace stiefel
