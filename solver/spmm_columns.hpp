#pragma once

#include "stiefel/core/multivector.hpp"
#include "stiefel/dense/transpose.hpp"
#include "stiefel/spmv/spmm.hpp"

#include <utility>

namespace stiefel {

/// The row-major panels that spmm_columns() works on; kept from call to call by whoever calls often.
template <class B, class T>
struct SpmmColumnsWorkspace {
    MultivectorOf<B, T> x;
    MultivectorOf<B, T> y;

    /// For A n_rows x n_cols and panels of k columns. Throws OutOfMemory.
    SpmmColumnsWorkspace(B& backend, Index n_rows, Index n_cols, Index k)
        : x(make_multivector<T>(backend, n_cols, k)), y(make_multivector<T>(backend, n_rows, k)) {}
};

/// Sparse matrix times panel whose columns lie one after the other, as in BLAS and LAPACK.
///     Y = alpha A X + beta Y     column j of X is row j of the k x n_cols view x, column j of Y row j of k x n_rows y
/// X is transposed into the workspace, multiplied there by rows and Y transposed back: of all columns' elements of a
/// row, which a nonzero needs together, each would else lie on a cache line of its own. beta = 0 never reads Y. Throws
/// InvalidArgument, naming the argument, where sizes do not fit. Traffic: that of spmm() and 2 (n_rows + n_cols) k T
/// bytes (+ 2 n_rows k T if beta != 0).
template <class B, class A, class T>
void spmm_columns(B& backend, const A& a, MatrixOf<B, const std::type_identity_t<T>> x, MatrixOf<B, T> y,
                  SpmmColumnsWorkspace<B, T>& work, std::type_identity_t<T> alpha = 1,
                  std::type_identity_t<T> beta = 0) {
    require(x.n_rows == work.x.n_cols() && x.n_cols == work.x.n_rows(),
            "spmm_columns: the workspace was made for another X");
    require(y.n_rows == work.y.n_cols() && y.n_cols == work.y.n_rows(),
            "spmm_columns: the workspace was made for another Y");
    transpose<T>(backend, x, work.x.view());
    if (beta != 0) transpose<T>(backend, y, work.y.view());
    spmm(backend, a, std::as_const(work.x).view(), work.y.view(), alpha, beta);
    transpose<T>(backend, std::as_const(work.y).view(), y);
}

}  // namespace stiefel
