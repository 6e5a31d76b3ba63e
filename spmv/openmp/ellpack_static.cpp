#include "stiefel/spmv/openmp/ellpack_rows.hpp"
#include "stiefel/spmv/openmp/kernels.hpp"
#include "stiefel/spmv/openmp/row_blocks.hpp"
#include "stiefel/spmv/row_update.hpp"

namespace stiefel::openmp {

template <class T>
void ellpack_static(OpenMP& backend, const HostEllpack<T>& a, const SpmvArguments<T>& s) {
    visit_layout(a, [&](const auto& arrays) {
        for_row_blocks(backend, a, s, [&](Index first, Index last) {
            for (Index i = first; i < last; ++i) {
                T sum = 0;
                for (Index j = 0; j < a.width; ++j) sum += arrays.product(s.x, i, j);
                update_row(s.y[i], sum, s.alpha, s.beta);
            }
        });
    });
}

template void ellpack_static(OpenMP&, const HostEllpack<double>&, const SpmvArguments<double>&);
template void ellpack_static(OpenMP&, const HostEllpack<float>&, const SpmvArguments<float>&);

}  // namespace stiefel::openmp
