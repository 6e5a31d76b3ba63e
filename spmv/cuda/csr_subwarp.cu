#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/spmv/cuda/csr_lanes.cuh"
#include "stiefel/spmv/cuda/lanes.hpp"

namespace stiefel::cuda {

template <class T>
void csr_subwarp(Cuda& backend, const DeviceCsr<T>& a, const SpmvArguments<T>& s) {
    with_lanes(a.nnz(), a.n_rows, [&](auto lanes) { launch_csr_lanes<lanes()>(backend, a, s); });
}

template void csr_subwarp(Cuda&, const DeviceCsr<double>&, const SpmvArguments<double>&);
template void csr_subwarp(Cuda&, const DeviceCsr<float>&, const SpmvArguments<float>&);

}  // namespace stiefel::cuda
