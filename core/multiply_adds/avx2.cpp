#include "stiefel/core/multiply_adds/code.hpp"

namespace stiefel {

constinit const MultiplyAdds<double> multiply_adds_avx2_double = multiply_adds<double, 4>();
constinit const MultiplyAdds<float> multiply_adds_avx2_float = multiply_adds<float, 8>();

}  // namespace stiefel
