#include "stiefel/spmv/cuda/row_kernel.cuh"

namespace stiefel::cuda {

namespace {

template <class T, class Offset>
__global__ void csr_scalar_kernel(Index n_rows, const Offset* row_ptr, const Index* col_idx, const T* values,
                                  RowOutput<T> out) {
    begin_kernel();
    double dot = 0;
    for (Size row = out.thread(); row < n_rows; row += Size{gridDim.x} * blockDim.x) {
        T sum = 0;
        for (Offset k = row_ptr[row]; k < row_ptr[row + 1]; ++k) sum += values[k] * out.x[col_idx[k]];
        dot += out.store(static_cast<Index>(row), sum);
    }
    out.finish(dot);
}

}  // namespace

template <class T>
void csr_scalar(Cuda& backend, const DeviceCsr<T>& a, const SpmvArguments<T>& s) {
    a.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        launch(backend, csr_scalar_kernel<T, Offset>, grid_for(backend, s, a.n_rows, block_threads), block_threads,
               "launching csr_scalar", a.n_rows, row_ptr, a.col_idx.data(), a.values.data(), RowOutput<T>(backend, s));
    });
}

template void csr_scalar(Cuda&, const DeviceCsr<double>&, const SpmvArguments<double>&);
template void csr_scalar(Cuda&, const DeviceCsr<float>&, const SpmvArguments<float>&);

}  // namespace stiefel::cuda
