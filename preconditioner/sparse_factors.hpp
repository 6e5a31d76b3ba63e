#pragma once

#include "stiefel/spmv/operator.hpp"

namespace stiefel {

/// M = U L or M = L, sparse matrices that belong to the preconditioner: for loops that multiply by them within kernels
/// of their own. Both null where M is neither.
template <class B, class T>
struct SparseFactors {
    const SpmvOperator<B, T>* lower = nullptr;  ///< L, n x n
    const SpmvOperator<B, T>* upper = nullptr;  ///< U = L'; null where M = L

    explicit operator bool() const { return lower != nullptr; }
};

/// Those of a preconditioner that says them; else none.
template <class B, class T, class M>
SparseFactors<B, T> sparse_factors_of(const M& m) {
    if constexpr (requires { m.sparse_factors(); }) {
        return m.sparse_factors();
    } else {
        return {};
    }
}

}  // namespace stiefel
