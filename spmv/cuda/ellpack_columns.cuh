#pragma once

#include "stiefel/spmv/cuda/row_kernel.cuh"

namespace stiefel::cuda {

/// A thread for a row: in the column-major layout neighbouring threads read neighbouring entries. Without row_length the
/// padding is multiplied too.
template <class T>
__global__ void ellpack_columns_kernel(Index n_rows, Index width, EllpackSteps steps, const Index* row_length,
                                       const Index* col_idx, const T* values, RowOutput<T> out) {
    double dot = 0;
    for (Size row = Size{blockIdx.x} * blockDim.x + threadIdx.x; row < n_rows; row += Size{gridDim.x} * blockDim.x) {
        const Index length = row_length != nullptr ? row_length[row] : width;
        const T sum = row_product(values, col_idx, out.x, length, [=](Index j) { return steps.position(row, j); });
        dot += out.store(static_cast<Index>(row), sum);
    }
    out.finish(dot);
}

template <class T>
void launch_ellpack_columns(Cuda& backend, const DeviceEllpack<T>& a, const Index* row_length,
                            const SpmvArguments<T>& s) {
    ellpack_columns_kernel<<<grid_for(a.n_rows, block_threads), block_threads, 0, backend.stream()>>>(
        a.n_rows, a.width, EllpackSteps(a.layout, a.stride), row_length, a.col_idx.data(), a.values.data(), RowOutput<T>(backend, s));
    check_cuda(cudaGetLastError(), "launching ellpack_columns");
}

}  // namespace stiefel::cuda
