#pragma once

#include "stiefel/core/matrix_view.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/device_formats.hpp"

namespace stiefel {

/// AS = A S  and  curvature = S' (A S)  in one pass: see spmm_gram().
template <class B, class Matrix>
using SpmmGramKernel = void (*)(B&, const Matrix&, MatrixOf<B, const typename Matrix::value_type> s,
                                MatrixOf<B, typename Matrix::value_type> as, MatrixOf<B, double> curvature);

// fused_spmm_gram(backend, a, k) is the pass that a backend has for an operator and panels of k columns, or null where
// spmm() and gram() are better.

/// OpenMP: where the sums of the Gram matrix stay in registers.
template <class T>
SpmmGramKernel<OpenMP, HostCsr<T>> fused_spmm_gram(const OpenMP&, const HostCsr<T>& a, Index k);
template <class T>
SpmmGramKernel<OpenMP, HostEllpack<T>> fused_spmm_gram(const OpenMP&, const HostEllpack<T>& a, Index k);
template <class T>
SpmmGramKernel<OpenMP, HostSell<T>> fused_spmm_gram(const OpenMP&, const HostSell<T>& a, Index k);

/// CUDA, in double: for 8, 16 or 32 columns and rows of similar lengths.
SpmmGramKernel<Cuda, DeviceCsr<double>> fused_spmm_gram(const Cuda& backend, const DeviceCsr<double>& a, Index k);
SpmmGramKernel<Cuda, DeviceSell<double>> fused_spmm_gram(const Cuda& backend, const DeviceSell<double>& a, Index k);

}  // namespace stiefel
