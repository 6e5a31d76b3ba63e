#include "stiefel/preconditioner/amg/prolongation.hpp"

#include "stiefel/core/agreement.hpp"
#include "stiefel/spmv/products/build_rows.hpp"

#include <algorithm>

namespace stiefel::amg {

namespace {

/// D_F, and a bound for the spectral radius of D_F^-1 A_F: the largest sum of absolutes of a row.
struct FilteredDiagonal {
    HostVector<double> d;
    double radius = 0;
};

template <class Offset>
FilteredDiagonal filtered_diagonal(OpenMP& backend, const HostCsr<double>& a, const Offset* row_ptr,
                                   const Strength& is_strong) {
    // Where weak couplings cancel most of the diagonal, what the strong ones need stays.
    constexpr double least_share = 0.1;
    FilteredDiagonal filtered{.d = HostVector<double>(a.n_rows)};
    double radius = 0;
#pragma omp parallel for num_threads(backend.threads()) schedule(static) reduction(max : radius) if (a.nnz() > 20000)
    for (Index i = 0; i < a.n_rows; ++i) {
        double diagonal = 0, weak = 0, strong = 0;
        for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
            const double value = a.values[k];
            if (a.col_idx[k] == i) {
                diagonal = value;
            } else if (is_strong[k]) {
                strong += std::abs(value);
            } else {
                weak += value;
            }
        }
        double d = diagonal + weak;
        if (d <= least_share * diagonal && d < strong) d = strong;
        filtered.d[i] = d;
        radius = std::max(radius, (d + strong) / d);
    }
    filtered.radius = agreed(backend, radius);
    return filtered;
}

}  // namespace

HostCsr<double> smoothed_prolongation(OpenMP& backend, const HostCsr<double>& a, const Strength& is_strong,
                                      const Aggregates& aggregates) {
    return a.row_ptr.visit([&](const auto* row_ptr) {
        const FilteredDiagonal filtered = filtered_diagonal(backend, a, row_ptr, is_strong);
        constexpr double largest_radius = 2.2;  // the bound may be far off; smoothing less than this does not pay
        const double omega = 4.0 / 3 / std::min(filtered.radius, largest_radius);
        return build_rows<double>(backend, a.n_rows, aggregates.count, [&](Index i, RowSum<double>& row) {
            row.add(aggregates.of_node[i], 1 - omega);
            const double factor = -omega / filtered.d[i];
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                if (is_strong[k]) row.add(aggregates.of_node[a.col_idx[k]], factor * a.values[k]);
            }
        });
    });
}

}  // namespace stiefel::amg
