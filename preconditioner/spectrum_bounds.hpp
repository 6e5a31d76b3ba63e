#pragma once

#include "stiefel/core/agreement.hpp"
#include "stiefel/core/linear_operator.hpp"
#include "stiefel/core/multivector.hpp"
#include "stiefel/core/scaled_operator.hpp"
#include "stiefel/dense/panel.hpp"
#include "stiefel/dense/panel_rows.hpp"
#include "stiefel/dense/small/symmetric_eigen.hpp"
#include "stiefel/dense/vector_operations.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace stiefel {

/// An interval that holds the spectrum of A.
struct SpectrumBounds {
    double lower = 0;
    double upper = 0;

    double norm() const { return std::max(std::abs(lower), std::abs(upper)); }
};

/// Y = 2^-e A X, with an exponent e, which is returned, that keeps squares of Y in range: 0 for most matrices.
template <class B, class T, PanelOperatorOn<B, T> A>
int multiply_in_range(B& backend, const A& a, MatrixOf<B, const T> x, MultivectorOf<B, T>& y) {
    spmm(backend, a, x, y.view(), T{1}, T{0});
    const int exponent = far_exponent<T>(max_abs(backend, y.values()));
    if (exponent != 0) spmm(backend, ScaledOperator<A>{a, exponent}, x, y.view(), T{1}, T{0});
    return exponent;
}

/// Bounds of the spectrum of A from a few steps of Lanczos: the extreme Ritz values, widened by the norm of the last
/// residual (Zhou, Saad, Tiago and Chelikowsky 2006). They hold but for starting vectors of vanishing probability, and
/// are closer than Gershgorin's as a rule; they need nothing but products. Not finite if A is not.
/// Any range of entries: A is scaled by a power of two on the way where squares would leave it.
/// n: the rows of this process, at least one in all. steps products and 5 steps passes over vectors; three vectors of
/// n.
template <class B, class T, PanelOperatorOn<B, T> A>
SpectrumBounds spectrum_bounds(B& backend, const A& a, Index n, std::uint64_t seed, Index steps = 12) {
    using Panel = MatrixView<T, typename B::memory>;
    auto memory_0 = make_multivector<T>(backend, n, 1);
    auto memory_1 = make_multivector<T>(backend, n, 1);
    auto memory_2 = make_multivector<T>(backend, n, 1);
    auto scalar = make_vector<double>(backend, 1);
    Panel previous = memory_0.view(), current = memory_1.view(), next = memory_2.view();
    const auto product = [&](const Panel& p, const Panel& q) {
        gram<T>(backend, p, q, {scalar.data(), 1, 1, 1});
        return load(backend, scalar);
    };
    random_panel<B, T>(backend, seed, current);
    assign_panel<B, T>(backend, static_cast<T>(1 / std::sqrt(product(current, current))), current, current);
    assign_panel<B, T>(backend, T{0}, current, previous);
    std::vector<double> diagonal, off_diagonal;
    ScaledOperator<A> scaled{a};
    double beta = 0;
    const Size most = std::min(Size{steps}, rows_of_all(backend, n));
    for (Size k = 0; k < most; ++k) {
        if (k == 0) {
            scaled.exponent = multiply_in_range<B, T>(backend, a, current, memory_2);
        } else {
            spmm(backend, scaled, current, next, T{1}, T{0});
        }
        const double alpha = product(current, next);
        for_rows(
            backend, n, 4 * panel_bytes(next),
            CombineRows<T, typename B::memory>{static_cast<T>(-alpha), current, static_cast<T>(-beta), previous, next});
        beta = std::sqrt(product(next, next));
        diagonal.push_back(alpha);
        off_diagonal.push_back(beta);
        if (!(beta > std::numeric_limits<T>::epsilon() * std::abs(alpha))) break;
        std::swap(previous, current);
        std::swap(current, next);
        assign_panel<B, T>(backend, static_cast<T>(1 / beta), current, current);
    }
    Serial host;
    const auto m = static_cast<Index>(diagonal.size());
    HostVector<double> t(Size{m} * m, 0.0), values(m), vectors(Size{m} * m);
    for (Index k = 0; k < m; ++k) {
        t[k * m + k] = diagonal[static_cast<std::size_t>(k)];
        if (k + 1 < m) t[k * m + k + 1] = t[(k + 1) * m + k] = off_diagonal[static_cast<std::size_t>(k)];
    }
    symmetric_eigen(host, as_matrix(t, m, m), values, as_matrix(vectors, m, m));
    return {std::ldexp(values[0] - beta, scaled.exponent), std::ldexp(values[m - 1] + beta, scaled.exponent)};
}

}  // namespace stiefel
