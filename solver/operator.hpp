#pragma once

#include "stiefel/core/linear_operator.hpp"
#include "stiefel/dense/vector_operations.hpp"

namespace stiefel {

/// y = A x and *curvature = <x, y>, in the backend's memory.
template <class B, class A, class V>
void apply_with_curvature(B& backend, const A& a, const V& x, V& y, double* curvature) {
    using T = typename V::value_type;
    if constexpr (requires { spmv_dot(backend, a, x, y, curvature); }) {
        spmv_dot(backend, a, x, y, curvature);
    } else {
        spmv(backend, a, x, y, T{1}, T{0});
        dot(backend, x, y, curvature);
    }
}

/// r = b - A x
template <class B, class A, class V>
void residual(B& backend, const A& a, const V& b, const V& x, V& r) {
    using T = typename V::value_type;
    copy(backend, b, r);
    spmv(backend, a, x, r, T{-1}, T{1});
}

}  // namespace stiefel
