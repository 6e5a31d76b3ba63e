#pragma once

#include "stiefel/core/transfer.hpp"
#include "stiefel/dense/vector_operations.hpp"

#include <cmath>
#include <limits>

namespace stiefel {

/// |x| in the 2-norm, also where the sum of squares leaves the range of double: one pass as a rule, three otherwise.
/// NaN and infinity come through.
template <class B, class V>
double norm(B& backend, const V& x) {
    const double squared = dot(backend, x, x);
    constexpr double tiny = 1e-280;  // below, squares of elements may have vanished
    if (squared >= tiny && squared <= std::numeric_limits<double>::max()) return std::sqrt(squared);

    const double largest = max_abs(backend, x);
    if (largest == 0 || !std::isfinite(largest)) return largest;
    int exponent = 0;
    std::frexp(largest, &exponent);
    V scaled = make_vector<typename V::value_type>(backend, x.size());
    copy(backend, x, scaled);
    scale(backend, -exponent, scaled);
    return std::ldexp(std::sqrt(dot(backend, scaled, scaled)), exponent);
}

}  // namespace stiefel
