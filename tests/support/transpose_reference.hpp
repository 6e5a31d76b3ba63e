#pragma once

#include "support/gemm_reference.hpp"

namespace stiefel::test {

/// Whether b, in NaN-padded storage, is the transpose of a and nothing else was written.
template <class T>
::testing::AssertionResult is_transpose(const PaddedMatrix<T>& a, const HostVector<T>& b, Size ld) {
    for (Size j = 0; j < a.n_cols; ++j) {
        for (Size i = 0; i < ld; ++i) {
            const T found = b[j * ld + i];
            if (i < a.n_rows ? !(found == a(i, j)) : !std::isnan(found)) {
                return ::testing::AssertionFailure() << "B(" << j << ", " << i << ") = " << found;
            }
        }
    }
    return ::testing::AssertionSuccess();
}

}  // namespace stiefel::test
