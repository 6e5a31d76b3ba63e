#include "stiefel/spmv/cuda/spmm/rows.cuh"

namespace stiefel::cuda {

namespace {

/// A thread for an element of Y that reads where its row begins and ends once. Neighbours along a row of Y read the
/// same entries and neighbouring elements of X.
template <class Rows, class T>
__global__ void __launch_bounds__(spmm_threads)
    element_bounds_kernel(Rows rows, Elements elements, SpmmArguments<T> s) {
    begin_kernel();
    for (Size element = Size{blockIdx.x} * blockDim.x + threadIdx.x; element < elements.size();
         element += Size{gridDim.x} * blockDim.x) {
        const Size place = elements.row(element);
        const Index row = rows.target(place);
        if (row >= rows.n_rows) continue;
        const Index column = elements.column(element);
        if (column >= s.k) continue;
        const T* const x = s.x + column;
        const auto entries = rows.entries(place);
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
void spmm_element_bounds(Cuda& backend, const Matrix& a, const SpmmArguments<typename Matrix::value_type>& s) {
    with_rows(a, [&]<class Rows>(const Rows& rows) {
        const Elements elements(rows.size(), s.k);
        launch(backend, element_bounds_kernel<Rows, typename Rows::value_type>,
               spmm_grid(elements.size(), spmm_threads), spmm_threads, "launching spmm_element_bounds", rows, elements,
               s);
    });
}

template void spmm_element_bounds(Cuda&, const DeviceCsr<double>&, const SpmmArguments<double>&);
template void spmm_element_bounds(Cuda&, const DeviceCsr<float>&, const SpmmArguments<float>&);
template void spmm_element_bounds(Cuda&, const DeviceEllpack<double>&, const SpmmArguments<double>&);
template void spmm_element_bounds(Cuda&, const DeviceEllpack<float>&, const SpmmArguments<float>&);
template void spmm_element_bounds(Cuda&, const DeviceSell<double>&, const SpmmArguments<double>&);
template void spmm_element_bounds(Cuda&, const DeviceSell<float>&, const SpmmArguments<float>&);

}  // namespace stiefel::cuda
