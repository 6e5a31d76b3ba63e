#include "stiefel/spmv/cuda/spmm/rows.cuh"

namespace stiefel::cuda {

namespace {

/// A thread for an element of Y, neighbours along its row: they read the same entries and neighbouring elements of X.
template <class Rows, class T>
__global__ void __launch_bounds__(spmm_threads) element_kernel(Rows rows, SpmmArguments<T> s) {
    begin_kernel();
    const Size n_elements = rows.size() * s.k;
    for (Size element = Size{blockIdx.x} * blockDim.x + threadIdx.x; element < n_elements;
         element += Size{gridDim.x} * blockDim.x) {
        const Size place = element / s.k;
        const Index row = rows.target(place);
        if (row >= rows.n_rows) continue;
        const Size column = element - place * s.k;
        const T* const x = s.x + column;
        const Entries entries = rows.entries(place);
        T sum = 0;
        for (Index j = 0; j < entries.count; ++j) {
            const Size at = entries.first + j * entries.step;
            sum += rows.values[at] * x[rows.col_idx[at] * s.ldx];
        }
        update_element(s.y + row * s.ldy + column, sum, s.alpha, s.beta);
    }
}

}  // namespace

template <class Matrix>
void spmm_element(Cuda& backend, const Matrix& a, const SpmmArguments<typename Matrix::value_type>& s) {
    with_rows(a, [&]<class Rows>(const Rows& rows) {
        launch(backend, element_kernel<Rows, typename Rows::value_type>, spmm_grid(rows.size() * s.k, spmm_threads),
               spmm_threads, "launching spmm_element", rows, s);
    });
}

template void spmm_element(Cuda&, const DeviceCsr<double>&, const SpmmArguments<double>&);
template void spmm_element(Cuda&, const DeviceCsr<float>&, const SpmmArguments<float>&);
template void spmm_element(Cuda&, const DeviceEllpack<double>&, const SpmmArguments<double>&);
template void spmm_element(Cuda&, const DeviceEllpack<float>&, const SpmmArguments<float>&);
template void spmm_element(Cuda&, const DeviceSell<double>&, const SpmmArguments<double>&);
template void spmm_element(Cuda&, const DeviceSell<float>&, const SpmmArguments<float>&);

}  // namespace stiefel::cuda
