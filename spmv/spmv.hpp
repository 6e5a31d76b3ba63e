#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/core/serial.hpp"
#include "stiefel/spmv/csr.hpp"
#include "stiefel/spmv/ellpack.hpp"
#include "stiefel/spmv/kernel_list.hpp"
#include "stiefel/spmv/sell.hpp"

#include <span>
#include <type_traits>

namespace stiefel {

/// Sparse matrix times vector.
///     y = alpha A x + beta y     A: n_rows x n_cols, x: n_cols, y: n_rows; x and y must not overlap
/// beta = 0 never reads y, so y may hold anything (NaN included).
/// Throws InvalidArgument on a size mismatch.
/// Traffic of CSR: nnz (T + Index) + n_rows (T + offset) + n_cols T bytes (+ n_rows T if beta != 0); 2 nnz flops.
/// spmv_dot is the same and also gives  *dot = <x, y>  in double, in the backend's memory (A square).
/// Both take the default kernel of the backend and format; spmv_kernels() lists all of them.
template <class T>
void spmv(Serial&, const HostCsr<T>& a, const HostVector<T>& x, HostVector<T>& y, std::type_identity_t<T> alpha = 1,
          std::type_identity_t<T> beta = 0);
template <class T>
void spmv_dot(Serial&, const HostCsr<T>& a, const HostVector<T>& x, HostVector<T>& y, double* dot);

}  // namespace stiefel
