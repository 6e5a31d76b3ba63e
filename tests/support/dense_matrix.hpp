#pragma once

#include "stiefel/spmv/csr.hpp"

#include <cmath>
#include <initializer_list>
#include <ostream>
#include <vector>

namespace stiefel::test {

/// A small dense matrix in extended precision, row-major: what sparse results are compared with.
struct DenseMatrix {
    Index n_rows = 0;
    Index n_cols = 0;
    std::vector<long double> values;

    DenseMatrix(Index rows, Index cols)
        : n_rows(rows), n_cols(cols), values(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols), 0.0L) {}

    DenseMatrix(std::initializer_list<std::initializer_list<long double>> rows)
        : DenseMatrix(static_cast<Index>(rows.size()), rows.size() > 0 ? static_cast<Index>(rows.begin()->size()) : 0) {
        auto out = values.begin();
        for (const auto& row : rows) out = std::copy(row.begin(), row.end(), out);
    }

    long double& operator()(Index i, Index j) { return values[static_cast<std::size_t>(Size{i} * n_cols + j)]; }
    long double operator()(Index i, Index j) const { return values[static_cast<std::size_t>(Size{i} * n_cols + j)]; }

    friend bool operator==(const DenseMatrix&, const DenseMatrix&) = default;

    friend std::ostream& operator<<(std::ostream& out, const DenseMatrix& a) {
        for (Index i = 0; i < a.n_rows; ++i) {
            out << "\n";
            for (Index j = 0; j < a.n_cols; ++j) out << " " << a(i, j);
        }
        return out;
    }
};

template <class T>
DenseMatrix dense_matrix(const HostCsr<T>& csr) {
    DenseMatrix result(csr.n_rows, csr.n_cols);
    csr.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < csr.n_rows; ++i) {
            for (auto k = row_ptr[i]; k < row_ptr[i + 1]; ++k) result(i, csr.col_idx[k]) += csr.values[k];
        }
    });
    return result;
}

/// Whether the Cholesky factorisation of A - shift I runs through, that is whether all eigenvalues exceed the shift
/// (up to rounding in extended precision). Reads the lower triangle.
inline bool eigenvalues_exceed(DenseMatrix a, long double shift) {
    for (Index j = 0; j < a.n_rows; ++j) {
        long double pivot = a(j, j) - shift;
        for (Index k = 0; k < j; ++k) pivot -= a(j, k) * a(j, k);
        if (!(pivot > 0)) return false;
        a(j, j) = std::sqrt(pivot);
        for (Index i = j + 1; i < a.n_rows; ++i) {
            for (Index k = 0; k < j; ++k) a(i, j) -= a(i, k) * a(j, k);
            a(i, j) /= a(j, j);
        }
    }
    return true;
}

inline bool is_positive_definite(const DenseMatrix& a) {
    return eigenvalues_exceed(a, 0);
}

inline bool is_symmetric(const DenseMatrix& a) {
    if (a.n_rows != a.n_cols) return false;
    for (Index i = 0; i < a.n_rows; ++i) {
        for (Index j = 0; j < i; ++j) {
            if (a(i, j) != a(j, i)) return false;
        }
    }
    return true;
}

}  // namespace stiefel::test
