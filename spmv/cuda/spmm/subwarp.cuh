#pragma once

#include "stiefel/spmv/cuda/spmm/rows.cuh"

namespace stiefel::cuda {

/// `lanes` neighbouring threads for an element of Y: they share the entries of its row and add up their sums. The
/// entries are read side by side, but each lane reads a row of X of its own.
template <int lanes, class Rows, class T>
__global__ void __launch_bounds__(spmm_threads) subwarp_kernel(Rows rows, Elements elements, SpmmArguments<T> s) {
    begin_kernel();
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    const Size step = Size{gridDim.x} * blockDim.x / lanes;
    // Whole warps stay in the loop while one of their elements exists: they shuffle together.
    for (Size element = (Size{blockIdx.x} * blockDim.x + threadIdx.x) / lanes;
         __any_sync(all_lanes, element < elements.size()); element += step) {
        const Size place = elements.row(element);
        const Index column = elements.column(element);
        const Index row = element < elements.size() && column < s.k ? rows.target(place) : rows.n_rows;
        T sum = 0;
        if (row < rows.n_rows) {
            const auto entries = rows.entries(place);
            for (Index j = lane; j < entries.count; j += lanes) {
                const Size at = entries.first + j * entries.step;
                sum += rows.values[at] * s.x[rows.col_idx[at] * s.ldx + column];
            }
        }
        sum = lanes_sum<lanes>(sum);
        if (row < rows.n_rows && lane == 0) update_element(s.y + row * s.ldy + column, sum, s.alpha, s.beta);
    }
}

template <int lanes, class Rows, class T>
void launch_subwarp(Cuda& backend, const Rows& rows, const SpmmArguments<T>& s) {
    const Elements elements(rows.size(), s.k);
    launch(backend, subwarp_kernel<lanes, Rows, T>, spmm_grid(elements.size(), spmm_threads / lanes), spmm_threads,
           "launching spmm_subwarp", rows, elements, s);
}

}  // namespace stiefel::cuda
