#pragma once

#include "stiefel/core/matrix_view.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/core/serial.hpp"
#include "stiefel/core/work.hpp"

#include <type_traits>

namespace stiefel {

/// B = A'     A: m x n, B: n x m, row-major, apart from each other in memory; both read and written once.
/// Throws InvalidArgument, naming the argument, if sizes do not fit, a leading dimension is too small or A and B
/// overlap. Takes the default kernel of the backend; transpose_kernels() in transpose_kernels.hpp lists all of them.
template <class T>
void transpose(Serial&, HostMatrix<const std::type_identity_t<T>> a, HostMatrix<T> b);
template <class T>
void transpose(OpenMP&, HostMatrix<const std::type_identity_t<T>> a, HostMatrix<T> b);
template <class T>
void transpose(Cuda&, DeviceMatrix<const std::type_identity_t<T>> a, DeviceMatrix<T> b);

/// A = A', square, in its own place. Throws InvalidArgument unless A is square.
template <class T>
void transpose_in_place(Serial&, HostMatrix<T> a);
template <class T>
void transpose_in_place(OpenMP&, HostMatrix<T> a);
template <class T>
void transpose_in_place(Cuda&, DeviceMatrix<T> a);

template <class T>
Work transpose_work(Size m, Size n) {
    return {2.0 * static_cast<double>(sizeof(T)) * static_cast<double>(m) * static_cast<double>(n), 0};
}

}  // namespace stiefel
