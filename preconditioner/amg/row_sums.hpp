#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/scaled_csr.hpp"

#include <cmath>

namespace stiefel::amg {

/// weight(sum of absolutes, sum of squares) of every row, rounded to S; 0 for rows of zeros.
template <class S, class Weight>
HostVector<S> row_weights(OpenMP& backend, const ScaledCsr<double>& scaled, const Weight& weight) {
    const HostCsr<double>& a = scaled.a;
    HostVector<S> weights(a.n_rows);
    a.row_ptr.visit([&](const auto* row_ptr) {
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (a.nnz() > 20000)
        for (Index i = 0; i < a.n_rows; ++i) {
            double absolutes = 0, squares = 0;
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                const double value = scaled.value<S>(i, k);
                absolutes += std::abs(value);
                squares += value * value;
            }
            weights[i] = absolutes > 0 ? static_cast<S>(weight(absolutes, squares)) : S{0};
        }
    });
    return weights;
}

}  // namespace stiefel::amg
