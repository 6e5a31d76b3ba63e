#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/spmv/cuda/csr_lanes.cuh"

namespace stiefel::cuda {

template <class T>
void csr_vector(Cuda& backend, const DeviceCsr<T>& a, const SpmvArguments<T>& s) {
    launch_csr_lanes<warp_size>(backend, a, s);
}

template void csr_vector(Cuda&, const DeviceCsr<double>&, const SpmvArguments<double>&);
template void csr_vector(Cuda&, const DeviceCsr<float>&, const SpmvArguments<float>&);

}  // namespace stiefel::cuda
