#include "stiefel/spmv/cuda/spmm/rows.cuh"

namespace stiefel::cuda {

namespace {

/// A thread for an element of Y, which it adds to in memory entry by entry. What others may write has to be read again
/// at each turn: the end of the row too.
template <class T, class Offset>
__global__ void __launch_bounds__(spmm_threads)
    element_global_kernel(Index n_rows, const Offset* row_ptr, const Index* col_idx, const T* values, Elements elements,
                          SpmmArguments<T> s) {
    begin_kernel();
    for (Size element = Size{blockIdx.x} * blockDim.x + threadIdx.x; element < elements.size();
         element += Size{gridDim.x} * blockDim.x) {
        const Size row = elements.row(element);
        const Index column = elements.column(element);
        if (column >= s.k) continue;
        T* const y = s.y + row * s.ldy + column;
        *y = s.beta == T{0} ? T{0} : s.beta * *y;
        for (Offset at = row_ptr[row]; at < row_ptr[row + 1]; ++at) {
            *y += s.alpha * values[at] * s.x[col_idx[at] * s.ldx + column];
        }
    }
}

}  // namespace

template <class T>
void spmm_element_global(Cuda& backend, const DeviceCsr<T>& a, const SpmmArguments<T>& s) {
    const Elements elements(a.n_rows, s.k);
    a.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        launch(backend, element_global_kernel<T, Offset>, spmm_grid(elements.size(), spmm_threads), spmm_threads,
               "launching spmm_element_global", a.n_rows, row_ptr, a.col_idx.data(), a.values.data(), elements, s);
    });
}

template void spmm_element_global(Cuda&, const DeviceCsr<double>&, const SpmmArguments<double>&);
template void spmm_element_global(Cuda&, const DeviceCsr<float>&, const SpmmArguments<float>&);

}  // namespace stiefel::cuda
