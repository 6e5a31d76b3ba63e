#pragma once

#include "stiefel/spmv/csr.hpp"

namespace stiefel::test {

/// Of entries none of which stands twice.
template <class T>
HostVector<T> inverse_diagonal_of(const HostCsr<T>& a) {
    HostVector<T> inverse(a.n_rows);
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                if (a.col_idx[k] == i) inverse[i] = 1 / a.values[k];
            }
        }
    });
    return inverse;
}

}  // namespace stiefel::test
