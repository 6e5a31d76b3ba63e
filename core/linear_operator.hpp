#pragma once

#include "stiefel/core/backend.hpp"
#include "stiefel/core/matrix_view.hpp"
#include "stiefel/core/work.hpp"

namespace stiefel {

// Operators are open: whatever has an  spmv(backend, a, x, y, alpha, beta)  that argument-dependent lookup finds can be
// solved with. A fused  spmv_dot(backend, a, x, y, dot)  and a  spmv_work(a)  for the reports are used where they
// exist.

template <class A, class B, class T>
concept OperatorOn = requires(B& backend, const A& a, const VectorOf<B, T>& x, VectorOf<B, T>& y) {
    spmv(backend, a, x, y, T{1}, T{0});
};

/// What block methods need: the product with a panel of vectors.
template <class A, class B, class T>
concept PanelOperatorOn = requires(B& backend, const A& a, MatrixOf<B, const T> x, MatrixOf<B, T> y) {
    spmm(backend, a, x, y, T{1}, T{0});
};

/// Bytes and flops of y = A x as the operator states them; zeros if it does not.
template <class A>
Work work_of(const A& a) {
    if constexpr (requires { spmv_work(a); }) {
        return spmv_work(a);
    } else {
        return {};
    }
}

/// The same for Y = A X with k columns.
template <class A>
Work panel_work_of(const A& a, Index k) {
    if constexpr (requires { spmm_work(a, k); }) {
        return spmm_work(a, k);
    } else {
        return {};
    }
}

}  // namespace stiefel
