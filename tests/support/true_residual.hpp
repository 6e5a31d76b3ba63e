#pragma once

#include "stiefel/spmv/csr.hpp"

#include <cmath>
#include <vector>

namespace stiefel {

/// |b - A x| / |b| in extended precision: what a solver's own figure is held against.
template <class T>
long double true_relative_residual(const HostCsr<T>& a, const HostVector<T>& b, const HostVector<T>& x) {
    long double residual2 = 0;
    long double rhs2 = 0;
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            long double r = b[i];
            for (auto k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                r -= static_cast<long double>(a.values[k]) * x[a.col_idx[k]];
            }
            residual2 += r * r;
            rhs2 += static_cast<long double>(b[i]) * b[i];
        }
    });
    return rhs2 > 0 ? std::sqrt(residual2 / rhs2) : std::sqrt(residual2);
}

}  // namespace stiefel
