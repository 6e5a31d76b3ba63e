#include "stiefel/preconditioner/cholesky/kernels/block_kernel_code.hpp"

namespace stiefel::cholesky {

constinit const BlockKernels<double> avx512_double = block_kernels_of<double, 8, 6>("avx512");
constinit const BlockKernels<float> avx512_float = block_kernels_of<float, 16, 6>("avx512");

}  // namespace stiefel::cholesky
