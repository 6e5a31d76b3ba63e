#include "stiefel/spmv/openmp/kernels.hpp"
#include "stiefel/spmv/openmp/row_blocks.hpp"
#include "stiefel/spmv/row_update.hpp"

namespace stiefel::openmp {

template <class Stored, class T>
void csr_static(OpenMP& backend, const HostCsr<Stored>& a, const SpmvArguments<T>& s) {
    const Index* const col_idx = a.col_idx.data();
    const Stored* const values = a.values.data();
    a.row_ptr.visit([&](const auto* row_ptr) {
        for_row_blocks(backend, a, s, [&](Index first, Index last) {
            for (Index i = first; i < last; ++i) {
                T sum = 0;
                for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) sum += values[k] * s.x[col_idx[k]];
                update_row(s.y[i], sum, s.alpha, s.beta);
            }
        });
    });
}

template void csr_static(OpenMP&, const HostCsr<double>&, const SpmvArguments<double>&);
template void csr_static(OpenMP&, const HostCsr<float>&, const SpmvArguments<float>&);
template void csr_static(OpenMP&, const HostCsr<float>&, const SpmvArguments<double>&);

}  // namespace stiefel::openmp
