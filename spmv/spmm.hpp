#pragma once

#include "stiefel/core/matrix_view.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/core/serial.hpp"
#include "stiefel/spmv/compressed_sell.hpp"
#include "stiefel/spmv/csr.hpp"
#include "stiefel/spmv/device_formats.hpp"
#include "stiefel/spmv/ellpack.hpp"
#include "stiefel/spmv/kernel_list.hpp"
#include "stiefel/spmv/sell.hpp"

#include <span>
#include <type_traits>

namespace stiefel {

/// The rungs of SpMM for a backend and a format, from the plainest to the one that is taken by default, the last. Only
/// the types of the arguments matter.
template <class T>
std::span<const SpmmKernel<Serial, HostCsr<T>>> spmm_kernels(const Serial&, const HostCsr<T>&);
template <class T>
std::span<const SpmmKernel<Serial, HostEllpack<T>>> spmm_kernels(const Serial&, const HostEllpack<T>&);
template <class T>
std::span<const SpmmKernel<Serial, HostSell<T>>> spmm_kernels(const Serial&, const HostSell<T>&);
template <class T>
std::span<const SpmmKernel<Serial, HostCompressedSell<T>>> spmm_kernels(const Serial&, const HostCompressedSell<T>&);
template <class T>
std::span<const SpmmKernel<OpenMP, HostCsr<T>>> spmm_kernels(const OpenMP&, const HostCsr<T>&);
template <class T>
std::span<const SpmmKernel<OpenMP, HostEllpack<T>>> spmm_kernels(const OpenMP&, const HostEllpack<T>&);
template <class T>
std::span<const SpmmKernel<OpenMP, HostSell<T>>> spmm_kernels(const OpenMP&, const HostSell<T>&);
template <class T>
std::span<const SpmmKernel<OpenMP, HostCompressedSell<T>>> spmm_kernels(const OpenMP&, const HostCompressedSell<T>&);
template <class T>
std::span<const SpmmKernel<Cuda, DeviceCsr<T>>> spmm_kernels(const Cuda&, const DeviceCsr<T>&);
template <class T>
std::span<const SpmmKernel<Cuda, DeviceEllpack<T>>> spmm_kernels(const Cuda&, const DeviceEllpack<T>&);
template <class T>
std::span<const SpmmKernel<Cuda, DeviceSell<T>>> spmm_kernels(const Cuda&, const DeviceSell<T>&);
template <class T>
std::span<const SpmmKernel<Cuda, DeviceCompressedSell<T>>> spmm_kernels(const Cuda&, const DeviceCompressedSell<T>&);

/// The most columns that a panel of SpMM may have.
inline constexpr Index max_spmm_columns = 256;

/// Throws InvalidArgument, naming the argument, unless X is a_cols x k and Y a_rows x k with 1 <= k <=
/// max_spmm_columns, their leading dimensions hold their columns and they are apart in memory.
template <class T, class Memory>
void check_spmm(Index a_rows, Index a_cols, const MatrixView<const T, Memory>& x, const MatrixView<T, Memory>& y) {
    require(x.n_rows == a_cols, "spmm: X must have as many rows as A has columns");
    require(y.n_rows == a_rows, "spmm: Y must have as many rows as A");
    require(x.n_cols == y.n_cols, "spmm: X and Y must have the same number of columns");
    require(x.n_cols >= 1 && x.n_cols <= max_spmm_columns, "spmm: X must have 1 to 256 columns");
    require(x.ld >= x.n_cols && y.ld >= y.n_cols, "spmm: a leading dimension is smaller than the number of columns");
    const auto end = [](const auto& m) { return m.n_rows == 0 ? m.data : m.data + (m.n_rows - 1) * m.ld + m.n_cols; };
    require(end(x) <= y.data || end(y) <= x.data, "spmm: X and Y overlap");
}

/// Sparse matrix times panel of vectors.
///     Y = alpha A X + beta Y     A: n_rows x n_cols, X: n_cols x k, Y: n_rows x k, row-major, apart in memory
/// beta = 0 never reads Y, so Y may hold anything (NaN included). 1 <= k <= max_spmm_columns.
/// Throws InvalidArgument, naming the argument, where sizes do not fit.
/// Traffic of CSR: nnz (T + Index) + n_rows offset + (n_rows + n_cols) k T bytes (+ n_rows k T if beta != 0); 2 nnz k
/// flops: the matrix is read once for k products.
/// Takes the default rung; to take another: find_spmm_kernel(backend, a, name).run(backend, a, arguments).
template <class B, class Matrix>
requires HasSpmmKernels<B, Matrix>
void spmm(B& backend, const Matrix& a, MatrixOf<B, const typename Matrix::value_type> x,
          MatrixOf<B, typename Matrix::value_type> y, std::type_identity_t<typename Matrix::value_type> alpha = 1,
          std::type_identity_t<typename Matrix::value_type> beta = 0) {
    check_spmm(a.n_rows, a.n_cols, x, y);
    spmm_kernels(backend, a)
        .back()
        .run(backend, a,
             {.x = x.data, .ldx = x.ld, .y = y.data, .ldy = y.ld, .k = x.n_cols, .alpha = alpha, .beta = beta});
}

}  // namespace stiefel
