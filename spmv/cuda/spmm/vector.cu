#include "stiefel/spmv/cuda/spmm/subwarp.cuh"

namespace stiefel::cuda {

template <class T>
void spmm_vector(Cuda& backend, const DeviceCsr<T>& a, const SpmmArguments<T>& s) {
    with_rows(a, [&](const auto& rows) { launch_subwarp<warp_size>(backend, rows, s); });
}

template void spmm_vector(Cuda&, const DeviceCsr<double>&, const SpmmArguments<double>&);
template void spmm_vector(Cuda&, const DeviceCsr<float>&, const SpmmArguments<float>&);

}  // namespace stiefel::cuda
