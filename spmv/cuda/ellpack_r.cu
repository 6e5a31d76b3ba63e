#include "stiefel/spmv/cuda/ellpack_columns.cuh"

namespace stiefel::cuda {

template <class T>
void ellpack_r(Cuda& backend, const DeviceEllpack<T>& a, const SpmvArguments<T>& s) {
    launch_ellpack_columns(backend, a, a.row_length.data(), s);
}

template void ellpack_r(Cuda&, const DeviceEllpack<double>&, const SpmvArguments<double>&);
template void ellpack_r(Cuda&, const DeviceEllpack<float>&, const SpmvArguments<float>&);

}  // namespace stiefel::cuda
