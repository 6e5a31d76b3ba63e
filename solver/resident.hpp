#pragma once

#include "stiefel/solver/cg_kernels.hpp"
#include "stiefel/spmv/device_formats.hpp"
#include "stiefel/spmv/operator.hpp"

#include <concepts>
#include <utility>

namespace stiefel {

template <class B, class T>
class BoundaryRows;  // world/cuda/boundary_rows.hpp

/// Where a system fits into the shared memory of the device's multiprocessors, sets step.resident to a kernel that runs
/// the whole loop of CG there: every block keeps its rows of the matrix and of the vectors, and only what neighbours
/// need of A p goes through memory. Otherwise leaves the step as it is.
template <class T, class M>
void set_resident(Cuda& backend, CudaStep& step, const DeviceCsr<T>& a, const M& m, DeviceVector<T>& x,
                  DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<CgState>& state);
template <class T, class M>
void set_resident(Cuda& backend, CudaStep& step, const DeviceEllpack<T>& a, const M& m, DeviceVector<T>& x,
                  DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<CgState>& state);
template <class T, class M>
void set_resident(Cuda& backend, CudaStep& step, const DeviceSell<T>& a, const M& m, DeviceVector<T>& x,
                  DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<CgState>& state);
/// Here r, x and A p alone are to fit, 24 bytes a row in double, so up to 1.2 million rows on an H100, or as many of
/// their elements as make it worth it (least_that_stay(); 7-point matrices of up to 4.7 million rows). A, p and what
/// does not stay pass through the caches, and blocks wait for each other's p as well.
template <class T, class M>
void set_resident(Cuda& backend, CudaStep& step, const DeviceCompressedSell<T>& a, const M& m, DeviceVector<T>& x,
                  DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<CgState>& state);
template <class T, class M>
void set_resident(Cuda& backend, CudaStep& step, const SpmvOperator<Cuda, T>& a, const M& m, DeviceVector<T>& x,
                  DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<CgState>& state) {
    a.visit([&](const auto& matrix, const auto&) { set_resident(backend, step, matrix, m, x, r, p, state); });
}

/// Whether the loop is likely to become such a kernel, from what CSR tells, or that of a preconditioner of sparse
/// factors (factored_loop.hpp): then hardly a product is computed beside it, and no other format is worth making.
template <class T>
bool is_likely_resident(const Cuda& backend, const DeviceCsr<T>& a);

/// Of rows that lie with several GPUs, where all of these reach each other and each has one to itself: `boundary` says
/// what they have to do with each other. Each keeps its rows' vectors; own columns are to be compressed SELL with all
/// of them. All ranks call it at once.
template <class T, class M>
void set_resident(Cuda& backend, CudaStep& step, const SpmvOperator<Cuda, T>& own,
                  const BoundaryRows<Cuda, T>& boundary, const M& m, DeviceVector<T>& x, DeviceVector<T>& r,
                  DeviceVector<T>& p, DeviceVector<CgState>& state);

/// Of an operator on rows that lie with several ranks.
template <class A, class T, class M>
requires std::same_as < decltype(std::declval<const A&>().own()), const SpmvOperator<Cuda, T>
& > void set_resident(Cuda& backend, CudaStep& step, const A& a, const M& m, DeviceVector<T>& x, DeviceVector<T>& r,
                      DeviceVector<T>& p, DeviceVector<CgState>& state) {
    if (backend.is_alone()) return set_resident(backend, step, a.own(), m, x, r, p, state);
    set_resident(backend, step, a.own(), a.boundary(), m, x, r, p, state);
}

}  // namespace stiefel
