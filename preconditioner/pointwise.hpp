#pragma once

#include "stiefel/preconditioner/identity.hpp"
#include "stiefel/preconditioner/jacobi.hpp"

#include <concepts>

namespace stiefel {

// What CG's vector kernels need of a preconditioner that scales element by element: a function object giving
// (M r)_i from i and r_i, which the compiler inlines. One more such preconditioner is one more overload of pointwise.

template <class T>
struct IdentityScale {
    static constexpr bool is_identity = true;
    constexpr T operator()(Size, T r) const { return r; }
};

template <class T>
struct DiagonalScale {
    static constexpr bool is_identity = false;
    const T* inverse_diagonal;
    constexpr T operator()(Size i, T r) const { return inverse_diagonal[i] * r; }
};

template <class T>
IdentityScale<T> pointwise(const Identity&) {
    return {};
}

template <class T, class Memory>
DiagonalScale<T> pointwise(const Jacobi<T, Memory>& m) {
    return {m.inverse_diagonal.data()};
}

/// What M multiplies by, in the memory of its vectors; null: M = 1.
template <class T>
const T* diagonal_of(const Identity&) {
    return nullptr;
}
template <class T, class Memory>
const T* diagonal_of(const Jacobi<T, Memory>& m) {
    return m.inverse_diagonal.data();
}

/// A preconditioner that scales element by element: solvers fold pointwise(m) into their own vector kernels, where it
/// costs no pass of its own.
template <class M, class T>
concept Pointwise = requires(const M& m, T r) {
    { pointwise<T>(m)(Size{0}, r) } -> std::same_as<T>;
};

}  // namespace stiefel
