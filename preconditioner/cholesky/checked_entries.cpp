#include "stiefel/preconditioner/cholesky/checked_entries.hpp"

#include "stiefel/preconditioner/diagonal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiefel::cholesky {

template <class T>
HostVector<T> positive_diagonal(const HostCsr<T>& a) {
    HostVector<T> diagonal(a.n_rows);
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            const Index* const begin = a.col_idx.data() + row_ptr[i];
            const Index* const end = a.col_idx.data() + row_ptr[i + 1];
            const Index* const found = std::lower_bound(begin, end, i);
            diagonal[i] = found != end && *found == i ? a.values[found - a.col_idx.data()] : T{0};
            if (!(diagonal[i] > 0) || !std::isfinite(diagonal[i])) {
                refuse_diagonal(i, static_cast<double>(diagonal[i]));
            }
        }
    });
    return diagonal;
}

template <class T>
void require_finite(const HostCsr<T>& a) {
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                if (std::isfinite(a.values[k])) continue;
                throw InvalidArgument(
                    fmt::format("entry ({}, {}) is {}: there is no factor of such a matrix (rows "
                                "count from 1)",
                                i + 1, a.col_idx[k] + 1, a.values[k]));
            }
        }
    });
}

template HostVector<double> positive_diagonal(const HostCsr<double>&);
template HostVector<float> positive_diagonal(const HostCsr<float>&);
template void require_finite(const HostCsr<double>&);
template void require_finite(const HostCsr<float>&);

}  // namespace stiefel::cholesky
