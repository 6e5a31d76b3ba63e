#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/solver/cuda/resident_step.cuh"
#include "stiefel/spmv/resident_size.hpp"

#include <algorithm>

namespace stiefel {

template <class T>
bool is_likely_resident(const Cuda& backend, const DeviceCsr<T>& a) {
    const CudaDevice& device = backend.device();
    if (!backend.is_alone() || a.n_rows != a.n_cols || !may_be_resident(device, a.bytes())) return false;
    // Of what a block has room for it may have three quarters on average; where it could have all rows, any number.
    const Size blocks = std::min(device.multiprocessors, max_exchange_blocks);
    return a.n_rows < resident_rows || 4 * a.nnz() <= 3 * blocks * resident_rows;
}

template bool is_likely_resident(const Cuda&, const DeviceCsr<double>&);
template bool is_likely_resident(const Cuda&, const DeviceCsr<float>&);

template <class T, class M>
void set_resident(Cuda& backend, CudaStep& step, const DeviceCsr<T>& a, const M& m, DeviceVector<T>& x,
                  DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<CgState>& state) {
    cuda::set_resident_matrix(backend, step, a, m, x, r, p, state);
}

template <class T, class M>
void set_resident(Cuda& backend, CudaStep& step, const DeviceSell<T>& a, const M& m, DeviceVector<T>& x,
                  DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<CgState>& state) {
    cuda::set_resident_matrix(backend, step, a, m, x, r, p, state);
}

template <class T, class M>
void set_resident(Cuda& backend, CudaStep& step, const DeviceEllpack<T>& a, const M& m, DeviceVector<T>& x,
                  DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<CgState>& state) {
    cuda::set_resident_matrix(backend, step, a, m, x, r, p, state);
}

template void set_resident(Cuda&, CudaStep&, const DeviceEllpack<double>&, const Identity&, DeviceVector<double>&,
                           DeviceVector<double>&, DeviceVector<double>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceEllpack<double>&, const DeviceJacobi<double>&,
                           DeviceVector<double>&, DeviceVector<double>&, DeviceVector<double>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceEllpack<float>&, const Identity&, DeviceVector<float>&,
                           DeviceVector<float>&, DeviceVector<float>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceEllpack<float>&, const DeviceJacobi<float>&,
                           DeviceVector<float>&, DeviceVector<float>&, DeviceVector<float>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceCsr<double>&, const Identity&, DeviceVector<double>&,
                           DeviceVector<double>&, DeviceVector<double>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceCsr<float>&, const Identity&, DeviceVector<float>&,
                           DeviceVector<float>&, DeviceVector<float>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceCsr<double>&, const DeviceJacobi<double>&,
                           DeviceVector<double>&, DeviceVector<double>&, DeviceVector<double>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceCsr<float>&, const DeviceJacobi<float>&, DeviceVector<float>&,
                           DeviceVector<float>&, DeviceVector<float>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceSell<double>&, const Identity&, DeviceVector<double>&,
                           DeviceVector<double>&, DeviceVector<double>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceSell<float>&, const Identity&, DeviceVector<float>&,
                           DeviceVector<float>&, DeviceVector<float>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceSell<double>&, const DeviceJacobi<double>&,
                           DeviceVector<double>&, DeviceVector<double>&, DeviceVector<double>&, DeviceVector<CgState>&);
template void set_resident(Cuda&, CudaStep&, const DeviceSell<float>&, const DeviceJacobi<float>&, DeviceVector<float>&,
                           DeviceVector<float>&, DeviceVector<float>&, DeviceVector<CgState>&);

}  // namespace stiefel
