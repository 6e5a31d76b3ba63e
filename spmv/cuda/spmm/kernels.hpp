#pragma once

#include "stiefel/spmv/spmm.hpp"

/// The rungs of SpMM on CUDA, one file each; kernel_lists.cpp says what they are.
namespace stiefel::cuda {

template <class Matrix>
void spmm_element(Cuda&, const Matrix&, const SpmmArguments<typename Matrix::value_type>&);

}  // namespace stiefel::cuda
