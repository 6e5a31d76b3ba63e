#include "stiefel/spmv/cuda/spmm/rows.cuh"

namespace stiefel::cuda {

namespace {

/// A thread for an element of Y, its sum in a register. The end of the row is read again at each turn, as the text of
/// the rung before says it: `volatile` keeps the compiler from doing the next rung's work here.
template <class T, class Offset>
__global__ void __launch_bounds__(spmm_threads)
    element_kernel(Index n_rows, const volatile Offset* row_ptr, const Index* col_idx, const T* values,
                   Elements elements, SpmmArguments<T> s) {
    begin_kernel();
    for (Size element = Size{blockIdx.x} * blockDim.x + threadIdx.x; element < elements.size();
         element += Size{gridDim.x} * blockDim.x) {
        const Size row = elements.row(element);
        const Index column = elements.column(element);
        if (column >= s.k) continue;
        T sum = 0;
        for (Offset at = row_ptr[row]; at < row_ptr[row + 1]; ++at) {
            sum += values[at] * s.x[col_idx[at] * s.ldx + column];
        }
        update_element(s.y + row * s.ldy + column, sum, s.alpha, s.beta);
    }
}

}  // namespace

template <class T>
void spmm_element(Cuda& backend, const DeviceCsr<T>& a, const SpmmArguments<T>& s) {
    const Elements elements(a.n_rows, s.k);
    a.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        launch(backend, element_kernel<T, Offset>, spmm_grid(elements.size(), spmm_threads), spmm_threads,
               "launching spmm_element", a.n_rows, row_ptr, a.col_idx.data(), a.values.data(), elements, s);
    });
}

template void spmm_element(Cuda&, const DeviceCsr<double>&, const SpmmArguments<double>&);
template void spmm_element(Cuda&, const DeviceCsr<float>&, const SpmmArguments<float>&);

}  // namespace stiefel::cuda
