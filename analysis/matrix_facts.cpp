#include "stiefel/analysis/matrix_facts.hpp"

#include "stiefel/analysis/infinity_norm.hpp"

namespace stiefel {

template <class T>
MatrixFacts matrix_facts(OpenMP& backend, const HostCsr<T>& a, bool with_couplings) {
    MatrixFacts facts{.rows = row_statistics(backend, a),
                      .diagonal = diagonal_entries(backend, a),
                      .norm = infinity_norm(backend, a)};
    if (with_couplings && facts.diagonal.is_positive()) facts.couplings = coupling_strength(a, backend.threads());
    return facts;
}

template MatrixFacts matrix_facts(OpenMP&, const HostCsr<double>&, bool);
template MatrixFacts matrix_facts(OpenMP&, const HostCsr<float>&, bool);

}  // namespace stiefel
