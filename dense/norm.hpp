#pragma once

#include "stiefel/core/transfer.hpp"
#include "stiefel/dense/vector_operations.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace stiefel {

namespace detail {

/// |x| from its square, unless that has left the range of double: then by two passes more.
template <class B, class V>
double norm_from_square(B& backend, const V& x, double squared) {
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

}  // namespace detail

/// |x| in the 2-norm, also where the sum of squares leaves the range of double: one pass as a rule, three otherwise.
/// NaN and infinity come through.
template <class B, class V>
double norm(B& backend, const V& x) {
    return detail::norm_from_square(backend, x, dot(backend, x, x));
}

/// |x| and |y|, as norm() has them.
template <class B, class V>
std::array<double, 2> norms(B& backend, const V& x, const V& y) {
    const std::array<double, 2> squares = squared_norms(backend, x, y);
    return {detail::norm_from_square(backend, x, squares[0]), detail::norm_from_square(backend, y, squares[1])};
}

}  // namespace stiefel
