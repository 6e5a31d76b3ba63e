#include "stiefel/preconditioner/ssor/triangles.hpp"

#include "stiefel/preconditioner/cholesky/checked_entries.hpp"
#include "stiefel/preconditioner/host_diagonal.hpp"
#include "stiefel/preconditioner/triangular/order_of_levels.hpp"

#include <cmath>
#include <utility>

namespace stiefel::ssor {

template <class T>
triangular::LevelTriangles<T> relaxation_triangles(const HostCsr<T>& a, const Colouring& colouring,
                                                   const Options& options, int threads) {
    check(options);
    const HostVector<T> diagonal = positive_diagonal(a);
    cholesky::require_finite(a);
    const Index n = a.n_rows;
    const double omega = options.omega;
    const HostVector<Index> rows = std::move(rows_by_colour(colouring.n_colours, colouring.colour).row);
    const HostVector<Index>& colour = colouring.colour;
    HostVector<T> scale(n);  // of the columns of F
    triangular::LevelTriangles<T> triangles{.inverse = HostVector<T>(n)};
    for (Index i = 0; i < n; ++i) {
        const auto own = static_cast<double>(diagonal[i]);
        scale[i] = static_cast<T>(std::sqrt(omega / (2 - omega) / own));
        triangles.inverse[i] = static_cast<T>(std::sqrt(omega * (2 - omega) / own));
    }
    a.row_ptr.visit([&](const auto* row_ptr) {
        const auto entries = [&](Index i, auto&& is_there, auto&& f) {
            for (Size e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
                const Index j = a.col_idx[e];
                if (is_there(colour[i], colour[j])) f(j, a.values[e]);
            }
        };
        const auto below = [](Index own, Index other) { return other < own; };
        const auto above = [](Index own, Index other) { return other > own; };
        Size of_lower = 0, of_upper = 0;
        for (Index i = 0; i < n; ++i) {
            entries(i, below, [&](Index, T) { ++of_lower; });
            entries(i, above, [&](Index, T) { ++of_upper; });
        }
        triangles.lower = triangular::in_order_of_levels<T>(
            n, of_lower, threads, [&](Index k) { return rows[k]; },
            [&](Index i, auto&& f) { entries(i, below, [&](Index j, T value) { f(j, value * scale[j]); }); });
        triangles.upper = triangular::in_order_of_levels<T>(
            n, of_upper, threads, [&](Index k) { return rows[n - 1 - k]; },
            [&](Index i, auto&& f) { entries(i, above, [&](Index j, T value) { f(j, value * scale[i]); }); });
    });
    return triangles;
}

template triangular::LevelTriangles<double> relaxation_triangles(const HostCsr<double>&, const Colouring&,
                                                                 const Options&, int);
template triangular::LevelTriangles<float> relaxation_triangles(const HostCsr<float>&, const Colouring&, const Options&,
                                                                int);

}  // namespace stiefel::ssor
