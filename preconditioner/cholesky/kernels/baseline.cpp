#include "stiefel/preconditioner/cholesky/kernels/block_kernel_code.hpp"

namespace stiefel::cholesky {

constinit const BlockKernels<double> baseline_double = block_kernels_of<double, 2, 2>("baseline");
constinit const BlockKernels<float> baseline_float = block_kernels_of<float, 4, 2>("baseline");

}  // namespace stiefel::cholesky
