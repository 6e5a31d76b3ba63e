#include "stiefel/dense/panel_elements.hpp"

#include <algorithm>

namespace stiefel {

template <class T>
void ritz_residual(Serial& backend, HostMatrix<const T> ax, HostMatrix<const T> x, const double* values,
                   HostMatrix<T> r, double* norms2) {
    std::fill_n(norms2, r.n_cols, 0.0);
    for (Size i = 0; i < r.n_rows; ++i) {
        for (Index j = 0; j < r.n_cols; ++j) {
            const double element = ax.data[i * ax.ld + j] - values[j] * x.data[i * x.ld + j];
            r.data[i * r.ld + j] = static_cast<T>(element);
            norms2[j] += element * element;
        }
    }
    all_sum(backend, norms2, r.n_cols);
}

template void ritz_residual(Serial&, HostMatrix<const double>, HostMatrix<const double>, const double*,
                            HostMatrix<double>, double*);
template void ritz_residual(Serial&, HostMatrix<const float>, HostMatrix<const float>, const double*, HostMatrix<float>,
                            double*);

}  // namespace stiefel
