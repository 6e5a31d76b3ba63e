#pragma once

#include "stiefel/spmv/cuda/row_kernel.cuh"

namespace stiefel::cuda {

/// A group of `lanes` neighbouring threads for a row.
template <int lanes, class T, class Offset>
__global__ void csr_lanes_kernel(Index n_rows, const Offset* row_ptr, const Index* col_idx, const T* values,
                                 RowOutput<T> out) {
    begin_kernel();
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    const Size stride = Size{gridDim.x} * blockDim.x / lanes;
    double dot = 0;
    // Whole warps stay in the loop while one of their rows exists: they shuffle together.
    for (Size row = out.thread() / lanes; __any_sync(all_lanes, row < n_rows); row += stride) {
        T sum = 0;
        if (row < n_rows) {
            const Offset begin = row_ptr[row] + lane;
            const Offset count = row_ptr[row + 1] - begin;
            const Index mine = count > 0 ? static_cast<Index>((count + lanes - 1) / lanes) : 0;
            sum = row_product(values, col_idx, out.x, mine, [=](Index j) { return begin + Offset{j} * lanes; });
        }
        sum = lanes_sum<lanes>(sum);
        if (row < n_rows && lane == 0) dot += out.store(static_cast<Index>(row), sum);
    }
    out.finish(dot);
}

template <int lanes, class T>
void launch_csr_lanes(Cuda& backend, const DeviceCsr<T>& a, const SpmvArguments<T>& s) {
    a.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        launch(backend, csr_lanes_kernel<lanes, T, Offset>, grid_for(backend, s, a.n_rows, block_threads / lanes),
               block_threads, "launching csr_lanes", a.n_rows, row_ptr, a.col_idx.data(), a.values.data(),
               RowOutput<T>(backend, s));
    });
}

}  // namespace stiefel::cuda
