#include "stiefel/solver/ritz_residual.hpp"

#include "stiefel/dense/panel_rows.hpp"

#include <algorithm>

namespace stiefel {

template <class T>
void ritz_residual(OpenMP& backend, HostMatrix<const T> ax, HostMatrix<const T> x, const double* values,
                   HostMatrix<T> r, double* norms2) {
    const Index k = r.n_cols;
    const Size n_blocks = n_reduction_blocks(r.n_rows);
    double* const partials = backend.partials(n_blocks * k);
    for_each_block(backend, r.n_rows, 3 * panel_bytes(r), [&](Size begin, Size end) {
        double* const sums = partials + begin / reduction_block * k;
        std::fill_n(sums, k, 0.0);
        for (Size i = begin; i < end; ++i) {
            for (Index j = 0; j < k; ++j) {
                const double element = ax.data[i * ax.ld + j] - values[j] * x.data[i * x.ld + j];
                r.data[i * r.ld + j] = static_cast<T>(element);
                sums[j] += element * element;
            }
        }
    });
    for (Index j = 0; j < k; ++j)
        norms2[j] = pairwise_sum(n_blocks, [&](Size block) { return partials[block * k + j]; });
    all_sum(backend, norms2, k);
}

template void ritz_residual(OpenMP&, HostMatrix<const double>, HostMatrix<const double>, const double*,
                            HostMatrix<double>, double*);
template void ritz_residual(OpenMP&, HostMatrix<const float>, HostMatrix<const float>, const double*, HostMatrix<float>,
                            double*);

}  // namespace stiefel
