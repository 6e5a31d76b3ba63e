#pragma once

#include "stiefel/core/work.hpp"
#include "stiefel/dense/panel_rows.hpp"
#include "stiefel/preconditioner/chebyshev_interval.hpp"
#include "stiefel/preconditioner/identity.hpp"
#include "stiefel/preconditioner/jacobi.hpp"

namespace stiefel {

// Preconditioners of block methods are open as operators are: whatever has a  precondition(backend, m, r, w), W = M R
// with M symmetric positive definite, that argument-dependent lookup finds. One that can make use of what the
// iteration knows takes it as a last argument.

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

/// Vectors of n elements that M holds for each column of the block, if it says: `vectors_per_column`.
template <class M>
constexpr Size vectors_per_column_of() {
    if constexpr (requires { M::vectors_per_column; }) {
        return M::vectors_per_column;
    } else {
        return 0;
    }
}

/// Bytes and flops of W = M R with so many columns as M states them: `work(columns)`; zeros if it does not.
template <class M>
Work preconditioner_work(const M& m, Index columns) {
    if constexpr (requires { m.work(columns); }) {
        return m.work(columns);
    } else {
        return {};
    }
}

/// W = M R, with what is known for those that want it.
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
