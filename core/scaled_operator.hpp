#pragma once

#include "stiefel/core/linear_operator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace stiefel {

/// 2^-exponent A, without touching A: its products are scaled, which rounds nothing.
template <class A>
struct ScaledOperator {
    const A& a;
    int exponent = 0;
};

template <class B, class A, class X, class Y, class T>
void spmm(B& backend, const ScaledOperator<A>& scaled, const X& x, const Y& y, T alpha, T beta) {
    spmm(backend, scaled.a, x, y, std::ldexp(alpha, -scaled.exponent), beta);
}

template <class A>
Work spmm_work(const ScaledOperator<A>& scaled, Index k) {
    return panel_work_of(scaled.a, k);
}

/// The power of two by which numbers of this size are divided so that squares of much smaller ones stay in range; 0
/// where they do so anyway, and for what is not finite.
template <class T>
int far_exponent(double size) {
    constexpr int near = std::is_same_v<T, float> ? 30 : 100;
    constexpr int most = std::numeric_limits<T>::max_exponent - 8;  // 2^-exponent is a number, and so are its multiples
    if (!(size > 0) || !std::isfinite(size)) return 0;
    const int exponent = std::ilogb(size);
    return std::abs(exponent) <= near ? 0 : std::clamp(exponent, -most, most);
}

}  // namespace stiefel
