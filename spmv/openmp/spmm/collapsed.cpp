#include "stiefel/spmv/openmp/spmm/kernels.hpp"
#include "stiefel/spmv/openmp/spmm/row_shares.hpp"
#include "stiefel/spmv/row_update.hpp"

namespace stiefel::openmp {

template <class Matrix>
void spmm_collapsed(OpenMP& backend, const Matrix& a, const SpmmArguments<typename Matrix::value_type>& s) {
    using T = typename Matrix::value_type;
    with_rows(a, [&](const auto& rows) {
        for_row_shares(backend, rows.size() * s.k, spmm_bytes(a, s.k), [&](Size first, Size last) {
            for (Size element = first; element < last; ++element) {
                const Size place = element / s.k;
                const Size column = element % s.k;
                const Index row = rows.target(place);
                if (row >= rows.n_rows) continue;
                const auto entries = rows.entries(place);
                T sum = 0;
                for (Index j = 0; j < entries.count; ++j) {
                    const Size at = entries.first + j * entries.step;
                    sum += rows.values[at] * s.x[rows.col_idx[at] * s.ldx + column];
                }
                update_row(s.y[row * s.ldy + column], sum, s.alpha, s.beta);
            }
        });
    });
}

template void spmm_collapsed(OpenMP&, const HostCsr<double>&, const SpmmArguments<double>&);
template void spmm_collapsed(OpenMP&, const HostCsr<float>&, const SpmmArguments<float>&);

}  // namespace stiefel::openmp
