#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/spmv/cuda/lanes.hpp"
#include "stiefel/spmv/cuda/row_kernel.cuh"

namespace stiefel::cuda {

namespace {

/// A group of `lanes` neighbouring threads for a row; made for the row-major layout.
template <int lanes, class T>
__global__ void __launch_bounds__(block_threads, 4)
    ellpack_subwarp_kernel(Index n_rows, Index width, EllpackSteps steps, const Index* col_idx, const T* values,
                           RowOutput<T> out) {
    begin_kernel();
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    const Index mine = lane < width ? (width - lane + lanes - 1) / lanes : 0;
    double dot = 0;
    for (Size row = out.thread() / lanes; __any_sync(all_lanes, row < n_rows);
         row += Size{gridDim.x} * blockDim.x / lanes) {
        T sum = 0;
        if (row < n_rows) {
            const Size first = steps.position(row, lane), step = lanes * steps.entry_step;
            sum = row_product(values + first, col_idx + first, out.x, mine, [=](Index j) { return j * step; });
        }
        sum = lanes_sum<lanes>(sum);
        if (row < n_rows && lane == 0) dot += out.store(static_cast<Index>(row), sum);
    }
    out.finish(dot);
}

}  // namespace

template <class T>
void ellpack_subwarp(Cuda& backend, const DeviceEllpack<T>& a, const SpmvArguments<T>& s) {
    with_lanes(Size{a.width} * a.n_rows, a.n_rows, [&](auto lanes) {
        launch(backend, ellpack_subwarp_kernel<lanes(), T>, grid_for(backend, s, a.n_rows, block_threads / lanes()),
               block_threads, "launching ellpack_subwarp", a.n_rows, a.width, EllpackSteps(a.layout, a.stride),
               a.col_idx.data(), a.values.data(), RowOutput<T>(backend, s));
    });
}

template void ellpack_subwarp(Cuda&, const DeviceEllpack<double>&, const SpmvArguments<double>&);
template void ellpack_subwarp(Cuda&, const DeviceEllpack<float>&, const SpmvArguments<float>&);

}  // namespace stiefel::cuda
