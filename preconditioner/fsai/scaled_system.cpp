#include "stiefel/preconditioner/diagonal.hpp"
#include "stiefel/preconditioner/fsai/factor.hpp"
#include "stiefel/spmv/scaled_csr.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stiefel::fsai {

template <class T>
ScaledSystem scaled_system(OpenMP& backend, const HostCsr<T>& a) {
    require(a.n_rows == a.n_cols, "fsai: A must be square");
    HostVector<double> diagonal(a.n_rows), inverse_roots(a.n_rows);
    constexpr Index none = std::numeric_limits<Index>::max();
    Index first_bad = none;
    a.row_ptr.visit([&](const auto* row_ptr) {
#pragma omp parallel for num_threads(backend.threads()) schedule(static) reduction(min : first_bad) if (a.n_rows > 4096)
        for (Index i = 0; i < a.n_rows; ++i) {
            const Index* const begin = a.col_idx.data() + row_ptr[i];
            const Index* const end = a.col_idx.data() + row_ptr[i + 1];
            const Index* const found = std::lower_bound(begin, end, i);
            diagonal[i] = found != end && *found == i ? static_cast<double>(a.values[found - a.col_idx.data()]) : 0;
            inverse_roots[i] = 1 / std::sqrt(diagonal[i]);
            if (!(diagonal[i] > 0) || !std::isfinite(diagonal[i])) first_bad = std::min(first_bad, i);
        }
    });
    if (first_bad != none) refuse_diagonal(first_bad, diagonal[first_bad]);
    HostCsr<double> s = scaled_copy<double>(backend, ScaledCsr<T>{a, inverse_roots, inverse_roots});
    return {std::move(inverse_roots), std::move(s)};
}

template ScaledSystem scaled_system(OpenMP&, const HostCsr<double>&);
template ScaledSystem scaled_system(OpenMP&, const HostCsr<float>&);

}  // namespace stiefel::fsai
