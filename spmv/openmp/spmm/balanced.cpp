#include "stiefel/spmv/openmp/spmm/kernels.hpp"
#include "stiefel/spmv/openmp/spmm/row_by_row.hpp"
#include "stiefel/spmv/openmp/spmm/row_shares.hpp"

namespace stiefel::openmp {

template <class Matrix>
void spmm_balanced(OpenMP& backend, const Matrix& a, const SpmmArguments<typename Matrix::value_type>& s) {
    with_rows(a, [&](const auto& rows) {
        for_nonzero_shares(backend, rows, spmm_bytes(a, s.k),
                           [&](Size first, Size last) { multiply_row_by_row(rows, s, first, last); });
    });
}

template void spmm_balanced(OpenMP&, const HostCsr<double>&, const SpmmArguments<double>&);
template void spmm_balanced(OpenMP&, const HostCsr<float>&, const SpmmArguments<float>&);

}  // namespace stiefel::openmp
