#pragma once

#include "stiefel/dense/panel_rows.hpp"
#include "stiefel/preconditioner/chebyshev_interval.hpp"
#include "stiefel/preconditioner/identity.hpp"
#include "stiefel/preconditioner/jacobi.hpp"

namespace stiefel {

// Pointwise preconditioners where nothing folds them into other kernels.

template <class B, class T>
void precondition(B& backend, const Identity&, MatrixView<const T, typename B::memory> r,
                  MatrixView<T, typename B::memory> w) {
    assign_panel<B, T>(backend, T{1}, r, w);
}

template <class B, class T>
void precondition(B& backend, const Jacobi<T, typename B::memory>& m, MatrixView<const T, typename B::memory> r,
                  MatrixView<T, typename B::memory> w) {
    for_rows(backend, w.n_rows, 2 * panel_bytes(w), ScaleRows<T, typename B::memory>{m.inverse_diagonal.data(), r, w});
}

/// W = M R, with what an eigensolver knows for those that take it as a last argument.
template <class B, class M, class T>
void apply_preconditioner(B& backend, const M& m, MatrixView<const T, typename B::memory> r,
                          MatrixView<T, typename B::memory> w, const RitzSpan& span) {
    if constexpr (requires { precondition(backend, m, r, w, span); }) {
        precondition(backend, m, r, w, span);
    } else {
        precondition(backend, m, r, w);
    }
}

}  // namespace stiefel
