#pragma once

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

/// The rungs for a backend and a format, from the plainest to the one that is taken by default, the last. Only the
/// types of the arguments matter. T is the type of the vectors and of the arithmetic: float values may lie under double
/// vectors (half the bytes of the values, sums as exact as the vectors are) where a list has two types.
template <class Stored, class T = Stored>
std::span<const SpmvKernel<Serial, HostCsr<Stored>, T>> spmv_kernels(const Serial&, const HostCsr<Stored>&,
                                                                     std::type_identity<T> = {});
template <class T>
std::span<const SpmvKernel<Serial, HostEllpack<T>>> spmv_kernels(const Serial&, const HostEllpack<T>&);
template <class Stored, class T = Stored>
std::span<const SpmvKernel<Serial, HostSell<Stored>, T>> spmv_kernels(const Serial&, const HostSell<Stored>&,
                                                                      std::type_identity<T> = {});
template <class Stored, class T = Stored>
std::span<const SpmvKernel<Serial, HostCompressedSell<Stored>, T>> spmv_kernels(const Serial&,
                                                                                const HostCompressedSell<Stored>&,
                                                                                std::type_identity<T> = {});
template <class Stored, class T = Stored>
std::span<const SpmvKernel<OpenMP, HostCsr<Stored>, T>> spmv_kernels(const OpenMP&, const HostCsr<Stored>&,
                                                                     std::type_identity<T> = {});
template <class T>
std::span<const SpmvKernel<OpenMP, HostEllpack<T>>> spmv_kernels(const OpenMP&, const HostEllpack<T>&);
template <class Stored, class T = Stored>
std::span<const SpmvKernel<OpenMP, HostSell<Stored>, T>> spmv_kernels(const OpenMP&, const HostSell<Stored>&,
                                                                      std::type_identity<T> = {});
template <class Stored, class T = Stored>
std::span<const SpmvKernel<OpenMP, HostCompressedSell<Stored>, T>> spmv_kernels(const OpenMP&,
                                                                                const HostCompressedSell<Stored>&,
                                                                                std::type_identity<T> = {});
template <class T>
std::span<const SpmvKernel<Cuda, DeviceCsr<T>>> spmv_kernels(const Cuda&, const DeviceCsr<T>&);
template <class T>
std::span<const SpmvKernel<Cuda, DeviceEllpack<T>>> spmv_kernels(const Cuda&, const DeviceEllpack<T>&);
template <class T>
std::span<const SpmvKernel<Cuda, DeviceSell<T>>> spmv_kernels(const Cuda&, const DeviceSell<T>&);
template <class T>
std::span<const SpmvKernel<Cuda, DeviceCompressedSell<T>>> spmv_kernels(const Cuda&, const DeviceCompressedSell<T>&);

/// Sparse matrix times vector.
///     y = alpha A x + beta y     A: n_rows x n_cols, x: n_cols, y: n_rows; x and y must not overlap
/// beta = 0 never reads y, so y may hold anything (NaN included).
/// Throws InvalidArgument on a size mismatch.
/// Traffic of CSR: nnz (T + Index) + n_rows (T + offset) + n_cols T bytes (+ n_rows T if beta != 0); 2 nnz flops.
/// Takes the default rung; to take another: find_kernel(backend, a, name).run(backend, a, arguments).
template <class B, class Matrix, class T>
requires HasSpmvKernels<B, Matrix, T>
void spmv(B& backend, const Matrix& a, const Vector<T, typename B::memory>& x, Vector<T, typename B::memory>& y,
          std::type_identity_t<T> alpha = 1, std::type_identity_t<T> beta = 0) {
    require(x.size() == a.n_cols, "spmv: x must have as many elements as A has columns");
    require(y.size() == a.n_rows, "spmv: y must have as many elements as A has rows");
    const auto& kernel = spmv_kernels_under<T>(backend, a).back();
    kernel.run(backend, a, {.x = x.data(), .y = y.data(), .alpha = alpha, .beta = beta});
}

/// Sparse matrix times vector with the inner product that conjugate gradients need, in one pass.
///     y = A x,  *dot = <x, y>     A: n x n; dot: one double in the backend's memory, accumulated in double
/// Throws InvalidArgument on a size mismatch. Traffic and flops as spmv, plus 2 n flops.
template <class B, class Matrix, class T>
requires HasSpmvKernels<B, Matrix, T>
void spmv_dot(B& backend, const Matrix& a, const Vector<T, typename B::memory>& x, Vector<T, typename B::memory>& y,
              double* dot) {
    require(a.n_rows == a.n_cols, "spmv_dot: A must be square");
    require(x.size() == a.n_cols && y.size() == a.n_rows, "spmv_dot: x and y must have as many elements as A has rows");
    const auto& kernel = spmv_kernels_under<T>(backend, a).back();
    kernel.run(backend, a, {.x = x.data(), .y = y.data(), .dot = dot});
}

}  // namespace stiefel
