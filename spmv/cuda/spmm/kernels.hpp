#pragma once

#include "stiefel/spmv/spmm.hpp"

/// The rungs of SpMM on CUDA, one file each; kernel_lists.cpp says what they are.
namespace stiefel::cuda {

template <class T>
void spmm_element_global(Cuda&, const DeviceCsr<T>&, const SpmmArguments<T>&);
template <class T>
void spmm_element(Cuda&, const DeviceCsr<T>&, const SpmmArguments<T>&);
template <class T>
void spmm_vector(Cuda&, const DeviceCsr<T>&, const SpmmArguments<T>&);
template <class T>
void spmm_vector_by_row(Cuda&, const DeviceCsr<T>&, const SpmmArguments<T>&);
template <class T>
void spmm_adaptive(Cuda&, const DeviceCsr<T>&, const SpmmArguments<T>&);
template <class T>
void spmm_adaptive_by_row(Cuda&, const DeviceCsr<T>&, const SpmmArguments<T>&);
template <class T>
void spmm_row_teams(Cuda&, const DeviceCsr<T>&, const SpmmArguments<T>&);
template <class T>
void spmm_row_shares(Cuda&, const DeviceCsr<T>&, const SpmmArguments<T>&);
template <class T>
void spmm_pipelined(Cuda&, const DeviceCsr<T>&, const SpmmArguments<T>&);

template <class T>
void spmm_compressed_element(Cuda&, const DeviceCompressedSell<T>&, const SpmmArguments<T>&);

/// For all formats with a column beside each value.
template <class Matrix>
void spmm_element_bounds(Cuda&, const Matrix&, const SpmmArguments<typename Matrix::value_type>&);
template <class Matrix>
void spmm_subwarp(Cuda&, const Matrix&, const SpmmArguments<typename Matrix::value_type>&);
template <class Matrix>
void spmm_panel(Cuda&, const Matrix&, const SpmmArguments<typename Matrix::value_type>&);

}  // namespace stiefel::cuda
