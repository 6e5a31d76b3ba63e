#pragma once

#include "stiefel/core/matrix_view.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/core/serial.hpp"

namespace stiefel {

/// a_ij = factors_j a_ij; a factor 0 makes the column 0 whatever it held. factors: n_cols, in the backend's memory.
/// 2 n k T bytes.
template <class T>
void scale_columns(Serial&, const double* factors, HostMatrix<T> a);
template <class T>
void scale_columns(OpenMP&, const double* factors, HostMatrix<T> a);
template <class T>
void scale_columns(Cuda&, const double* factors, DeviceMatrix<T> a);

/// maxima_j = max_i |a_ij|, NaN if the column holds one, 0 if it has no rows. maxima: n_cols, in the backend's memory.
/// n k T bytes.
template <class T>
void column_maxima(Serial&, HostMatrix<const T> a, double* maxima);
template <class T>
void column_maxima(OpenMP&, HostMatrix<const T> a, double* maxima);
template <class T>
void column_maxima(Cuda&, DeviceMatrix<const T> a, double* maxima);

}  // namespace stiefel
