#pragma once

#include "stiefel/core/matrix_view.hpp"

namespace stiefel::cuda {

// B = A' for checked arguments, A m x n; each rung enqueues one kernel.
template <class T>
void transpose_naive(Cuda& backend, const DeviceMatrix<const T>& a, const DeviceMatrix<T>& b);
template <class T>
void transpose_shared(Cuda& backend, const DeviceMatrix<const T>& a, const DeviceMatrix<T>& b);
template <class T>
void transpose_padded(Cuda& backend, const DeviceMatrix<const T>& a, const DeviceMatrix<T>& b);
template <class T>
void transpose_unrolled(Cuda& backend, const DeviceMatrix<const T>& a, const DeviceMatrix<T>& b);
template <class T>
void transpose_tuned(Cuda& backend, const DeviceMatrix<const T>& a, const DeviceMatrix<T>& b);

/// A = A', square, in its own place.
template <class T>
void transpose_square(Cuda& backend, const DeviceMatrix<T>& a);

}  // namespace stiefel::cuda
