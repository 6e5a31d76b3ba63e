#include "stiefel/spmv/openmp/spmm/kernels.hpp"
#include "stiefel/spmv/openmp/spmm/row_by_row.hpp"
#include "stiefel/spmv/openmp/spmm/row_shares.hpp"

namespace stiefel::openmp {

template <class Matrix>
void spmm_static(OpenMP& backend, const Matrix& a, const SpmmArguments<typename Matrix::value_type>& s) {
    with_rows(a, [&](const auto& rows) {
        for_row_shares(backend, rows.size(), spmm_bytes(a, s.k),
                       [&](Size first, Size last) { multiply_row_by_row(rows, s, first, last); });
    });
}

template <class T>
void spmm_padded(OpenMP& backend, const HostEllpack<T>& a, const SpmmArguments<T>& s) {
    with_padded_rows(a, [&](const auto& rows) {
        for_row_shares(backend, rows.size(), spmm_bytes(a, s.k),
                       [&](Size first, Size last) { multiply_row_by_row(rows, s, first, last); });
    });
}

template void spmm_static(OpenMP&, const HostCsr<double>&, const SpmmArguments<double>&);
template void spmm_static(OpenMP&, const HostCsr<float>&, const SpmmArguments<float>&);
template void spmm_static(OpenMP&, const HostEllpack<double>&, const SpmmArguments<double>&);
template void spmm_static(OpenMP&, const HostEllpack<float>&, const SpmmArguments<float>&);
template void spmm_static(OpenMP&, const HostSell<double>&, const SpmmArguments<double>&);
template void spmm_static(OpenMP&, const HostSell<float>&, const SpmmArguments<float>&);
template void spmm_padded(OpenMP&, const HostEllpack<double>&, const SpmmArguments<double>&);
template void spmm_padded(OpenMP&, const HostEllpack<float>&, const SpmmArguments<float>&);

}  // namespace stiefel::openmp
