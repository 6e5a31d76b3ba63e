#pragma once

#include "stiefel/core/matrix_view.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/core/serial.hpp"
#include "stiefel/dense/small/tridiagonal_ql.hpp"

namespace stiefel {

/// The most rows of a small eigenproblem: three panels' columns, as LOBPCG has them.
inline constexpr Index max_small_eigen = 192;

/// Eigenvalues and eigenvectors of a small symmetric matrix, solved where the backend computes: on a host by one
/// thread, on CUDA by one block and without the host waiting.
///     A = V diag(values) V'     A: n x n with both triangles, V: n x n, column j belongs to values[j]; row-major
/// values: n, ascending. V'V = I, and A V = V diag(values) up to a small multiple of n eps |A|, whatever the
/// eigenvalues (multiple, clustered, zero). A with a NaN or infinity gives NaN. A and V may be the same.
/// Throws InvalidArgument if sizes do not fit or n exceeds max_small_eigen. About 10 n^3 flops; memory 2 n^2.
void symmetric_eigen(Serial&, HostMatrix<const double> a, HostVector<double>& values, HostMatrix<double> vectors);
void symmetric_eigen(OpenMP&, HostMatrix<const double> a, HostVector<double>& values, HostMatrix<double> vectors);
void symmetric_eigen(Cuda&, DeviceMatrix<const double> a, DeviceVector<double>& values, DeviceMatrix<double> vectors);

/// The same as a problem for a team, with matrices outside of the work memory.
struct SymmetricEigenProblem {
    SmallEigen work;
    const double* a;
    Size lda;
    double* values;
    double* vectors;
    Size ldv;

    template <class Team>
    constexpr void operator()(const Team& team) const {
        const Index n = work.n;
        team.for_each(n, [&](Index i) {
            for (Index j = 0; j < n; ++j) work.a[Size{i} * work.ld + j] = a[i * lda + j];
        });
        symmetric_eigen(team, work);
        team.for_each(n, [&](Index j) {
            values[j] = work.values[j];
            const double* const row = work.q + Size{work.order[j]} * work.ld;
            for (Index i = 0; i < n; ++i) vectors[i * ldv + j] = row[i];
        });
    }
};

/// Checks as symmetric_eigen() documents.
template <class A, class V>
void check_symmetric_eigen(const A& a, Size n_values, const V& vectors) {
    require(a.n_rows == a.n_cols, "symmetric_eigen: A must be square");
    require(a.n_rows <= max_small_eigen, "symmetric_eigen: A must have at most 192 rows");
    require(vectors.n_rows == a.n_rows && vectors.n_cols == a.n_rows, "symmetric_eigen: V must be as large as A");
    require(n_values == a.n_rows, "symmetric_eigen: values must have as many elements as A has rows");
    require(a.ld >= a.n_cols && vectors.ld >= vectors.n_cols,
            "symmetric_eigen: a leading dimension is smaller than the number of columns");
}

}  // namespace stiefel
