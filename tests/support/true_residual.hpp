#pragma once

#include "stiefel/spmv/csr.hpp"

#include <cmath>
#include <limits>
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

/// How far a solver's own figure may be from that, where it has computed b - A x in T and norms in double: rows of m
/// entries are off by some (m + 1) eps (|b| + |A| |x|), norms of n elements by n of double's eps.
template <class T>
long double true_residual_bound(const HostCsr<T>& a, const HostVector<T>& b, const HostVector<T>& x) {
    constexpr long double eps = std::numeric_limits<T>::epsilon();
    long double rounding2 = 0, rhs2 = 0;
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            const long double right = b[i];
            long double absolute = std::abs(right);
            for (auto k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                absolute += std::abs(static_cast<long double>(a.values[k]) * x[a.col_idx[k]]);
            }
            const long double rounding = static_cast<long double>(row_ptr[i + 1] - row_ptr[i] + 1) * eps * absolute;
            rounding2 += rounding * rounding;
            rhs2 += right * right;
        }
    });
    const long double of_norms = a.n_rows * static_cast<long double>(std::numeric_limits<double>::epsilon());
    return std::sqrt(rounding2 / rhs2) + of_norms * (1 + true_relative_residual(a, b, x));
}

}  // namespace stiefel
