#pragma once

#include "stiefel/core/larger_or_nan.hpp"
#include "stiefel/core/matrix_view.hpp"

#include <cmath>

namespace stiefel {

/// Rows first .. last - 1 of scale_columns and column_maxima.

template <class T>
void scale_columns_of_rows(const double* factors, const HostMatrix<T>& a, Size first, Size last) {
    for (Size i = first; i < last; ++i) {
        T* const row = a.data + i * a.ld;
        for (Index j = 0; j < a.n_cols; ++j) row[j] = factors[j] == 0 ? T{0} : static_cast<T>(factors[j] * row[j]);
    }
}

template <class T>
void column_maxima_of_rows(const HostMatrix<const T>& a, Size first, Size last, double* maxima) {
    for (Size i = first; i < last; ++i) {
        const T* const row = a.data + i * a.ld;
        for (Index j = 0; j < a.n_cols; ++j) {
            maxima[j] = larger_or_nan(maxima[j], std::abs(static_cast<double>(row[j])));
        }
    }
}

}  // namespace stiefel
