#include "stiefel/preconditioner/amg/prolongation.hpp"

#include "stiefel/spmv/products/build_rows.hpp"

#include <algorithm>

namespace stiefel::amg {

namespace {

/// The entry in row i and column j, which is there.
double entry(const HostCsr<double>& a, Index i, Index j) {
    return a.row_ptr.visit([&](const auto* row_ptr) {
        const Index* const cols = a.col_idx.data();
        return a.values[std::lower_bound(cols + row_ptr[i], cols + row_ptr[i + 1], j) - cols];
    });
}

/// D_F, and a bound for the spectral radius of D_F^-1 A_F: the largest sum of absolutes of a row.
struct FilteredDiagonal {
    HostVector<double> d;
    double radius = 0;
};

template <class Offset, class IsKept>
FilteredDiagonal filtered_diagonal(OpenMP& backend, const HostCsr<double>& a, const Offset* row_ptr,
                                   const IsKept& is_kept) {
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
            } else if (is_kept(i, a.col_idx[k], value)) {
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
    filtered.radius = radius;
    return filtered;
}

}  // namespace

HostCsr<double> smoothed_prolongation(OpenMP& backend, const HostCsr<double>& a, const HostCsr<double>& nodes,
                                      const Strength& is_strong, const Aggregates& aggregates, Index components) {
    const auto is_kept = [&](Index i, Index j, double value) {
        if (components == 1) return is_strong(i, j, value);
        const Index from = i / components, to = j / components;
        return from == to || is_strong(from, to, entry(nodes, from, to));
    };
    const auto column_of = [&](Index i) { return aggregates.of_node[i / components] * components + i % components; };
    return a.row_ptr.visit([&](const auto* row_ptr) {
        const FilteredDiagonal filtered = filtered_diagonal(backend, a, row_ptr, is_kept);
        constexpr double largest_radius = 2.2;  // the bound may be far off; smoothing less than this does not pay
        const double omega = 4.0 / 3 / std::min(filtered.radius, largest_radius);
        const Index n_coarse = aggregates.count * components;
        return build_rows<double>(backend, a.n_rows, n_coarse, [&](Index i, RowAccumulator<double>& row) {
            row.add(column_of(i), 1 - omega);
            const double factor = -omega / filtered.d[i];
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                const Index j = a.col_idx[k];
                if (j != i && is_kept(i, j, a.values[k])) row.add(column_of(j), factor * a.values[k]);
            }
        });
    });
}

}  // namespace stiefel::amg
