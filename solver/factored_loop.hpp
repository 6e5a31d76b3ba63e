#pragma once

#include "stiefel/preconditioner/sparse_factors.hpp"
#include "stiefel/solver/cg_kernels.hpp"
#include "stiefel/spmv/device_formats.hpp"
#include "stiefel/spmv/operator.hpp"

namespace stiefel {

/// Where A and the factors of M = L' L, or M = L, fit into the device's second-level cache together, sets step.resident
/// to a kernel that runs the whole loop of preconditioned CG: three sparse products an iteration, or two, with the
/// vector operations in them, and one wait for all blocks. Otherwise leaves the step as it is.
template <class T>
void set_factored(Cuda& backend, CudaStep& step, const SpmvOperator<Cuda, T>& a, const SparseFactors<Cuda, T>& m,
                  DeviceVector<T>& x, DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<CgState>& state);

/// The same for a preconditioner that may have factors.
template <class T, class M>
requires requires(const M& m) {
    m.sparse_factors();
}
void set_factored(Cuda& backend, CudaStep& step, const SpmvOperator<Cuda, T>& a, const M& m, DeviceVector<T>& x,
                  DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<CgState>& state) {
    if (const SparseFactors<Cuda, T> factors = m.sparse_factors()) {
        set_factored(backend, step, a, factors, x, r, p, state);
    }
}

}  // namespace stiefel
