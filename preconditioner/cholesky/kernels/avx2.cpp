#include "stiefel/preconditioner/cholesky/kernels/block_kernel_code.hpp"

namespace stiefel::cholesky {

constinit const BlockKernels<double> avx2_double = block_kernels_of<double, 4, 3>("avx2");
constinit const BlockKernels<float> avx2_float = block_kernels_of<float, 8, 3>("avx2");

}  // namespace stiefel::cholesky
