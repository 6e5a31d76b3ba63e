#include "stiefel/core/multiply_adds/code.hpp"

namespace stiefel {

constinit const MultiplyAdds<double> multiply_adds_avx512_double = multiply_adds<double, 8>();
constinit const MultiplyAdds<float> multiply_adds_avx512_float = multiply_adds<float, 16>();

}  // namespace stiefel
