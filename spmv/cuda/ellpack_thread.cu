#include "stiefel/spmv/cuda/ellpack_columns.cuh"

namespace stiefel::cuda {

template <class T>
void ellpack_thread(Cuda& backend, const DeviceEllpack<T>& a, const SpmvArguments<T>& s) {
    launch_ellpack_columns(backend, a, nullptr, s);
}

template void ellpack_thread(Cuda&, const DeviceEllpack<double>&, const SpmvArguments<double>&);
template void ellpack_thread(Cuda&, const DeviceEllpack<float>&, const SpmvArguments<float>&);

}  // namespace stiefel::cuda
