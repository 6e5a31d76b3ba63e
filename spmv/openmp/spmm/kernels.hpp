#pragma once

#include "stiefel/spmv/spmm.hpp"

/// The rungs of SpMM on OpenMP, one file each and for all formats; kernel_lists.cpp says what they are.
namespace stiefel::openmp {

template <class Matrix>
void spmm_static(OpenMP&, const Matrix&, const SpmmArguments<typename Matrix::value_type>&);

template <class Matrix>
void spmm_simd(OpenMP&, const Matrix&, const SpmmArguments<typename Matrix::value_type>&);

/// CSR only.
template <class Matrix>
void spmm_collapsed(OpenMP&, const Matrix&, const SpmmArguments<typename Matrix::value_type>&);
template <class Matrix>
void spmm_balanced(OpenMP&, const Matrix&, const SpmmArguments<typename Matrix::value_type>&);

/// ELLPACK with its padding.
template <class T>
void spmm_padded(OpenMP&, const HostEllpack<T>&, const SpmmArguments<T>&);

template <class T>
void spmm_compressed(OpenMP&, const HostCompressedSell<T>&, const SpmmArguments<T>&);

/// What a product with k columns moves at least; decides whether threads are worth waking.
template <class Matrix>
Size spmm_bytes(const Matrix& a, Index k) {
    return a.bytes() + (Size{a.n_rows} + a.n_cols) * k * static_cast<Size>(sizeof(typename Matrix::value_type));
}

}  // namespace stiefel::openmp
