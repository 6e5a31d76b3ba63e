#include "stiefel/dense/packed/micro_kernel_code.hpp"

namespace stiefel {

constinit const MicroKernel<double> avx512_double = packed::micro_kernel<double, 8, 8, 3, 8>("avx512");
constinit const MicroKernel<float> avx512_float = packed::micro_kernel<float, 16, 8, 3, 8>("avx512");

}  // namespace stiefel
