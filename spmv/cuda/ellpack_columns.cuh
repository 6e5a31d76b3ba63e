#pragma once

#include "stiefel/spmv/cuda/row_kernel.cuh"

namespace stiefel::cuda {

/// A thread for a row: in the column-major layout neighbouring threads read neighbouring entries. Without row_length
/// the padding is multiplied too.
template <class T>
__global__ void ellpack_columns_kernel(Index n_rows, Index width, EllpackSteps steps, const Index* row_length,
                                       const Index* col_idx, const T* values, RowOutput<T> out) {
    begin_kernel();
    double dot = 0;
    for (Size row = out.thread(); row < n_rows; row += Size{gridDim.x} * blockDim.x) {
        const Index length = row_length != nullptr ? row_length[row] : width;
        const T sum = row_product(values, col_idx, out.x, length, [=](Index j) { return steps.position(row, j); });
        dot += out.store(static_cast<Index>(row), sum);
    }
    out.finish(dot);
}

template <class T>
void launch_ellpack_columns(Cuda& backend, const DeviceEllpack<T>& a, const Index* row_length,
                            const SpmvArguments<T>& s) {
    launch(backend, ellpack_columns_kernel<T>, grid_for(backend, s, a.n_rows, block_threads), block_threads,
           "launching ellpack_columns", a.n_rows, a.width, EllpackSteps(a.layout, a.stride), row_length,
           a.col_idx.data(), a.values.data(), RowOutput<T>(backend, s));
}

}  // namespace stiefel::cuda
