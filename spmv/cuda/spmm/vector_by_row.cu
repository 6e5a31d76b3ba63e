#include "stiefel/spmv/cuda/spmm/rows.cuh"

namespace stiefel::cuda {

namespace {

/// A warp for a row of Y: each lane holds an entry, and column after column they multiply and add up. The entries are
/// read once for all columns.
template <class T, class Offset>
__global__ void __launch_bounds__(spmm_threads)
    vector_by_row_kernel(DeviceCsrRows<T, Offset> rows, SpmmArguments<T> s) {
    begin_kernel();
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    constexpr int warps = spmm_threads / warp_size;
    for (Size row = Size{blockIdx.x} * warps + threadIdx.x / warp_size; row < rows.n_rows;
         row += Size{gridDim.x} * warps) {
        const auto entries = rows.entries(row);
        T* const y = s.y + row * s.ldy;
        Index done = 0;
        do {  // once for an empty row too: it has a result
            const bool mine = done + lane < entries.count;
            const Size at = entries.first + done + lane;
            const T value = mine ? rows.values[at] : T{0};
            const T* const x = s.x + (mine ? rows.col_idx[at] * s.ldx : 0);
            for (Index column = 0; column < s.k; ++column) {
                const T sum = lanes_sum(mine ? value * x[column] : T{0});
                if (lane == 0) update_element(y + column, sum, s.alpha, done == 0 ? s.beta : T{1});
            }
            done += warp_size;
        } while (done < entries.count);
    }
}

}  // namespace

template <class T>
void spmm_vector_by_row(Cuda& backend, const DeviceCsr<T>& a, const SpmmArguments<T>& s) {
    with_rows(a, [&]<class Offset>(const DeviceCsrRows<T, Offset>& rows) {
        launch(backend, vector_by_row_kernel<T, Offset>, spmm_grid(a.n_rows, spmm_threads / warp_size), spmm_threads,
               "launching spmm_vector_by_row", rows, s);
    });
}

template void spmm_vector_by_row(Cuda&, const DeviceCsr<double>&, const SpmmArguments<double>&);
template void spmm_vector_by_row(Cuda&, const DeviceCsr<float>&, const SpmmArguments<float>&);

}  // namespace stiefel::cuda
