#include "stiefel/core/multiply_adds/code.hpp"

namespace stiefel {

constinit const MultiplyAdds<double> multiply_adds_baseline_double = multiply_adds<double, 2>();
constinit const MultiplyAdds<float> multiply_adds_baseline_float = multiply_adds<float, 4>();

}  // namespace stiefel
