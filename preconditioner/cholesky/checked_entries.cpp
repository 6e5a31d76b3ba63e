#include "stiefel/preconditioner/cholesky/checked_entries.hpp"

#include <fmt/format.h>

#include <cmath>

namespace stiefel::cholesky {

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

template void require_finite(const HostCsr<double>&);
template void require_finite(const HostCsr<float>&);

}  // namespace stiefel::cholesky
