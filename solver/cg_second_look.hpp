#pragma once

#include "stiefel/core/transfer.hpp"
#include "stiefel/preconditioner/concept.hpp"
#include "stiefel/solver/cg_kernels.hpp"
#include "stiefel/solver/curvature_sums.hpp"
#include "stiefel/solver/operator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace stiefel {

/// What is left of a doubt that CG's loop ended with, once looked at without haste.
struct CgSecondLook {
    Evidence evidence = Evidence::none;  ///< none: nothing speaks against A and M, the loop's numbers left their range
    bool finite = true;                  ///< false: A p holds a NaN or infinity whatever the length of p
    int lift = 0;                        ///< log2 of the residual norm that keeps a run's scalars in range
};

namespace detail {

/// A vector whose largest element was brought to about 1: the one meant is 2^exponent times it. Absent if it is zero or
/// not finite.
template <class B, class V>
std::optional<int> bring_to_one(B& backend, V& x) {
    const double largest = max_abs(backend, x);
    if (!(largest > 0) || !std::isfinite(largest)) return {};
    int exponent = 0;
    std::frexp(largest, &exponent);
    scale(backend, -exponent, x);
    return exponent;
}

/// y = A x for an x with largest element about 1, computed where it neither vanishes nor overflows, and brought to one.
struct CgProduct {
    bool finite = true;
    std::optional<int> exponent = {};  ///< absent: A x is zero, or not finite
};

template <class B, class A, class V>
CgProduct multiply_in_range(B& backend, const A& a, V& x, V& y) {
    using T = typename V::value_type;
    using Limits = std::numeric_limits<T>;
    constexpr int far = Limits::max_exponent * 3 / 4;
    constexpr double least = static_cast<double>(Limits::min() / Limits::epsilon());
    double largest = 0;
    for (const int lift : {0, far, -far}) {
        if (lift > 0 && !(largest < least)) continue;
        if (lift < 0 && largest <= std::numeric_limits<double>::max()) continue;
        if (lift != 0) scale(backend, lift, x);
        spmv(backend, a, x, y, T{1}, T{0});
        if (lift != 0) scale(backend, -lift, x);
        largest = max_abs(backend, y);
        const std::optional<int> exponent = bring_to_one(backend, y);
        if (exponent && (lift != 0 || largest >= least)) return {true, *exponent - lift};
    }
    return {.finite = largest == 0};
}

template <class B, class V>
CurvatureSums sums_on_host(B& backend, const V& x, const V& y) {
    CurvatureSums sums;
    if constexpr (HostBackend<B>) {
        sums = curvature_sums(x.span(), y.span());
    } else {
        using T = typename V::value_type;
        HostVector<T> host_x(x.size()), host_y(y.size());
        download(backend, x, host_x);
        download(backend, y, host_y);
        sums = curvature_sums(std::as_const(host_x).span(), std::as_const(host_y).span());
    }
    for (double* sum : {&sums.product, &sums.absolute, &sums.xx, &sums.yy}) *sum = all_sum(backend, *sum);
    return sums;
}

/// log2 of a lower bound of |A|_2 that is close as a rule: a few steps of power iteration from y. x and y are used up.
template <class B, class A, class V>
double log2_norm(B& backend, const A& a, V& y, V& x) {
    double log2 = -std::numeric_limits<double>::infinity();
    V* from = &y;
    V* to = &x;
    for (int step = 0; step < 4; ++step) {
        const double length = std::sqrt(dot(backend, *from, *from));
        const CgProduct product = multiply_in_range(backend, a, *from, *to);
        if (!product.exponent) break;
        log2 = std::max(log2, *product.exponent + std::log2(std::sqrt(dot(backend, *to, *to)) / length));
        std::swap(from, to);
    }
    return log2;
}

/// Where the logarithms of |r|^2, r'M r and p'A p are spread evenly around that of 1, given the latter two for |r| = 1.
inline int cg_lift(double log2_rho, double log2_curvature, int most) {
    const auto [low, high] = std::minmax({0.0, log2_rho, log2_curvature});
    return static_cast<int>(std::clamp(std::round(-(low + high) / 4), -1.0 * most, 1.0 * most));
}

}  // namespace detail

/// Judges p'A p and r'M r once more, p and r scaled so that nothing vanishes or overflows, the sums compensated. Their
/// errors are bounded by 16 eps (sum |p_i (A p)_i| + |A| |p|^2), of which the latter is what rounding may have done to
/// A p, with |A| taken from a few steps of power iteration. Uses up r, p and q; costs six products and a few passes.
template <class B, class A, class M, class V>
CgSecondLook cg_second_look(B& backend, const A& a, const M& m, V& r, V& p, V& q) {
    using T = typename V::value_type;
    constexpr double slack = 16.0 * std::numeric_limits<T>::epsilon();
    constexpr int most_lift = std::numeric_limits<T>::max_exponent / 3;
    CgSecondLook look;
    const auto p_exponent = detail::bring_to_one(backend, p);
    const auto r_exponent = detail::bring_to_one(backend, r);
    if (!p_exponent) return {.finite = false};
    const detail::CgProduct product = detail::multiply_in_range(backend, a, p, q);
    if (!product.finite) return {.finite = false};
    if (!product.exponent) return {.evidence = Evidence::zero_curvature};

    const CurvatureSums sums = detail::sums_on_host(backend, p, q);
    const double log2_norm =
        std::max(detail::log2_norm(backend, a, q, p), *product.exponent + std::log2(sums.yy / sums.xx) / 2);
    const double bound = slack * (sums.absolute + std::exp2(log2_norm - *product.exponent) * sums.xx);
    if (sums.product < -bound) return {.evidence = Evidence::negative_curvature};
    if (!(sums.product > bound)) return {.evidence = Evidence::zero_curvature};

    if (!r_exponent) return {.finite = false};
    precondition_vector(backend, m, r, p);  // p = M r
    const auto z_exponent = detail::bring_to_one(backend, p);
    if (!z_exponent) return {.evidence = Evidence::preconditioner};
    const CurvatureSums of_m = detail::sums_on_host(backend, r, p);
    if (!(of_m.product > slack * of_m.absolute)) return {.evidence = Evidence::preconditioner};
    const double log2_rho = *z_exponent + std::log2(of_m.product / of_m.xx);
    const double log2_curvature =
        *product.exponent + std::log2(sums.product / of_m.xx) + 2.0 * (*p_exponent - *r_exponent);
    look.lift = detail::cg_lift(log2_rho, log2_curvature, most_lift);
    return look;
}

}  // namespace stiefel
