#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/dense/cuda/gemm_tiles.cuh"

namespace stiefel::cuda {

/// What the kernels are asked, but for the operands.
template <class T>
GemmTask<T> gemm_task(const GemmArguments<T>& g);

/// A product's operands as the staged kernels read them: row-major, rows at multiples of 16 bytes. What lies that way
/// already is used in place; what is transposed or not aligned is copied first, which costs a pass over n^2 elements
/// before n^3 multiplications and leaves the kernels a single case.
template <class T>
class GemmOperands {
public:
    GemmOperands(Cuda& backend, const GemmArguments<T>& g);
    GemmTask<T> task() const { return task_; }

private:
    void place(Cuda& backend, const StridedMatrix<T>& from, Index n_rows, Index n_cols, DeviceVector<T>& copy,
               const T*& data, Size& ld);

    GemmTask<T> task_;
    DeviceVector<T> a_;
    DeviceVector<T> b_;
};

}  // namespace stiefel::cuda
