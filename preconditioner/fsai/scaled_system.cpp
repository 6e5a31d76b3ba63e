#include "stiefel/preconditioner/fsai/factor.hpp"
#include "stiefel/preconditioner/host_diagonal.hpp"
#include "stiefel/spmv/scaled_csr.hpp"

#include <utility>

namespace stiefel::fsai {

template <class T>
ScaledSystem scaled_system(OpenMP& backend, const HostCsr<T>& a) {
    require(a.n_rows == a.n_cols, "fsai: A must be square");
    HostVector<double> inverse_roots = inverse_root_diagonal(a, backend.threads());
    HostCsr<double> s = scaled_copy<double>(backend, ScaledCsr<T>{a, inverse_roots, inverse_roots});
    return {std::move(inverse_roots), std::move(s)};
}

template ScaledSystem scaled_system(OpenMP&, const HostCsr<double>&);
template ScaledSystem scaled_system(OpenMP&, const HostCsr<float>&);

}  // namespace stiefel::fsai
