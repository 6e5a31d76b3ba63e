#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/core/matrix_view.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/core/serial.hpp"

namespace stiefel {

/// R = AX - X diag(values)  and  norms2_j = |R_j|^2, which with `values` lies in the backend's memory. 3 n k T bytes
template <class T>
void ritz_residual(Serial&, HostMatrix<const T> ax, HostMatrix<const T> x, const double* values, HostMatrix<T> r,
                   double* norms2);
template <class T>
void ritz_residual(OpenMP&, HostMatrix<const T> ax, HostMatrix<const T> x, const double* values, HostMatrix<T> r,
                   double* norms2);
template <class T>
void ritz_residual(Cuda&, DeviceMatrix<const T> ax, DeviceMatrix<const T> x, const double* values, DeviceMatrix<T> r,
                   double* norms2);

}  // namespace stiefel
