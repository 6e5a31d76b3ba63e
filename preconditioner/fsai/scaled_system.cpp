#include "stiefel/preconditioner/fsai/factor.hpp"
#include "stiefel/preconditioner/host_diagonal.hpp"
#include "stiefel/spmv/scaled_csr.hpp"

#include <cmath>
#include <utility>

namespace stiefel::fsai {

template <class T>
ScaledSystem scaled_system(OpenMP& backend, const HostCsr<T>& a) {
    require(a.n_rows == a.n_cols, "fsai: A must be square");
    const HostVector<T> diagonal = positive_diagonal(a, backend.threads());
    HostVector<double> inverse_roots(a.n_rows);
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (a.n_rows > 4096)
    for (Index i = 0; i < a.n_rows; ++i) inverse_roots[i] = 1 / std::sqrt(static_cast<double>(diagonal[i]));
    HostCsr<double> s = scaled_copy<double>(backend, ScaledCsr<T>{a, inverse_roots, inverse_roots});
    return {std::move(inverse_roots), std::move(s)};
}

template ScaledSystem scaled_system(OpenMP&, const HostCsr<double>&);
template ScaledSystem scaled_system(OpenMP&, const HostCsr<float>&);

}  // namespace stiefel::fsai
