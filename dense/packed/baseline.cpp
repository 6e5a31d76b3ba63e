#include "stiefel/dense/packed/micro_kernel_code.hpp"

namespace stiefel {

constinit const MicroKernel<double> baseline_double = packed::micro_kernel<double, 2, 4, 2, 2>("baseline");
constinit const MicroKernel<float> baseline_float = packed::micro_kernel<float, 4, 4, 2, 4>("baseline");

}  // namespace stiefel
