#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/core/serial.hpp"
#include "stiefel/spmv/csr.hpp"
#include "stiefel/spmv/device_formats.hpp"

namespace stiefel {

/// Jacobi: M = diag(A)^-1, kept as a vector. CG applies it inside its own vector kernels; it costs no pass of its own.
template <class T, class Memory>
struct Jacobi {
    static constexpr const char* name = "jacobi";
    Vector<T, Memory> inverse_diagonal;
};

template <class T>
using HostJacobi = Jacobi<T, HostMemory>;
template <class T>
using DeviceJacobi = Jacobi<T, DeviceMemory>;

/// The inverse of A's diagonal, in n log(nnz / n) steps. Throws InvalidArgument naming the row if an entry is missing,
/// zero, negative or not finite: no such matrix is positive definite.
template <class T>
HostJacobi<T> make_jacobi(Serial&, const HostCsr<T>& a);
template <class T>
HostJacobi<T> make_jacobi(OpenMP&, const HostCsr<T>& a);
template <class T>
DeviceJacobi<T> make_jacobi(Cuda&, const DeviceCsr<T>& a);

}  // namespace stiefel
