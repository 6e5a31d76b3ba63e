#pragma once

#include "support/spmm_reference.hpp"

#include "stiefel/solver/spmm_columns.hpp"

namespace stiefel::test {

/// B' in packed storage.
template <class T>
HostVector<T> transposed(const HostVector<T>& b, Index n_rows, Index n_cols, Size ld) {
    HostVector<T> result(Size{n_rows} * n_cols);
    for (Index i = 0; i < n_rows; ++i) {
        for (Index j = 0; j < n_cols; ++j) result[Size{j} * n_rows + i] = b[i * ld + j];
    }
    return result;
}

/// Panels by columns against the reference by rows; `to_memory` and `to_host` bring vectors to the backend and back.
template <class B, class T, class Matrix, class To, class From>
void expect_spmm_columns(B& backend, const HostCsr<T>& host, const Matrix& a, To&& to_memory, From&& to_host) {
    for (const Index k : {1, 3, 8, 33}) {
        for (const double beta : {0.0, -0.75}) {
            SCOPED_TRACE("k " + std::to_string(k) + ", beta " + std::to_string(beta));
            const SpmmReference<T> reference(host, {.k = k, .alpha = 1.5, .beta = beta});
            const auto x = to_memory(transposed(reference.x().values, a.n_cols, k, reference.x().ld));
            auto y = to_memory(transposed(reference.y().values, a.n_rows, k, reference.y().ld));
            SpmmColumnsWorkspace<B, T> work(backend, a.n_rows, a.n_cols, k);
            spmm_columns(backend, a, as_matrix(x, k, a.n_cols), as_matrix(y, k, a.n_rows), work, T(1.5), T(beta));
            const HostVector<T> found = to_host(y);
            EXPECT_TRUE(reference.accepts(transposed(found, k, a.n_rows, a.n_rows)));
            EXPECT_THROW(spmm_columns(backend, a, as_matrix(x, k, a.n_cols - 1), as_matrix(y, k, a.n_rows), work),
                         InvalidArgument);
            EXPECT_THROW(spmm_columns(backend, a, as_matrix(x, k, a.n_cols), as_matrix(y, k, a.n_rows - 1), work),
                         InvalidArgument);
        }
    }
}

}  // namespace stiefel::test
