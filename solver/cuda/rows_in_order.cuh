#pragma once

#include "stiefel/solver/cuda/row_slots.cuh"
#include "stiefel/spmv/cuda/scan.hpp"

namespace stiefel {

/// A matrix row by row, wherever the rows lie in memory: slots as in row_slots.cuh, slot i being row i.
template <class T>
struct PlacedRows {
    Index n_rows;
    const Size* begin;
    const Index* row_length;
    const Size* offset;  // sums of lengths
    const Index* col_idx;
    const T* values;
    Size step;
    static constexpr Index alignment = 1;

    __device__ Index row(Index slot) const { return slot; }
    __device__ Size first(Index slot) const { return begin[slot]; }
    __device__ Index length(Index slot) const { return row_length[slot]; }
    __device__ Size base(Index slot) const { return offset[slot]; }
};

namespace cuda {

template <class Rows>
__global__ void place_rows_kernel(Rows rows, Index slots, Size* begin, Index* length) {
    const Index slot = static_cast<Index>(blockIdx.x * blockDim.x + threadIdx.x);
    if (slot >= slots) return;
    const Index row = rows.row(slot);
    if (row >= rows.n_rows) return;
    begin[row] = rows.first(slot);
    length[row] = rows.length(slot);
}

}  // namespace cuda

/// f(rows, entries) with slot i of the rows being row i, for a matrix in any of the device's formats; what f enqueues
/// may read them. As visit_slots().
template <class T, class Matrix, class F>
void visit_rows_in_order(Cuda& backend, const Matrix& a, F&& f) {
    visit_slots(a, [&]<class Slots>(const Slots& rows, Index slots, Size n_stored) {
        if constexpr (std::is_same_v<Slots, SellSlots<T>>) {
            constexpr unsigned threads = 256;
            DeviceVector<Size> begin(backend, rows.n_rows), offset(backend, Size{rows.n_rows} + 1);
            DeviceVector<Index> length(backend, rows.n_rows);
            cuda::place_rows_kernel<<<(static_cast<unsigned>(slots) + threads - 1) / threads, threads, 0,
                                      backend.stream()>>>(rows, slots, begin.data(), length.data());
            cuda::offsets_from_counts(backend, length, offset);
            f(PlacedRows<T>{rows.n_rows, begin.data(), length.data(), offset.data(), rows.col_idx, rows.values,
                            rows.step},
              n_stored);
        } else {
            f(rows, n_stored);
        }
    });
}

}  // namespace stiefel
