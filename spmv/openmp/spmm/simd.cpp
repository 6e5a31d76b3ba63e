#include "stiefel/core/cache_lines.hpp"
#include "stiefel/spmv/openmp/spmm/kernels.hpp"
#include "stiefel/spmv/openmp/spmm/row_shares.hpp"
#include "stiefel/spmv/openmp/spmm/simd/kernel.hpp"

namespace stiefel::openmp {

template <class Matrix>
void spmm_simd(OpenMP& backend, const Matrix& a, const SpmmArguments<typename Matrix::value_type>& s) {
    const Size bytes = spmm_bytes(a, s.k);
    const bool streams = worth_streaming(bytes) && fills_cache_lines(s.y, s.k, s.ldy);
    with_rows(a, [&]<class Rows>(const Rows& rows) {
        const RowsKernel<Rows>& kernel = widest_rows_kernel<Rows>();
        for_nonzero_shares(backend, rows, bytes,
                           [&](Size first, Size last) { kernel.multiply(rows, s, streams, first, last); });
    });
}

template void spmm_simd(OpenMP&, const HostCsr<double>&, const SpmmArguments<double>&);
template void spmm_simd(OpenMP&, const HostCsr<float>&, const SpmmArguments<float>&);
template void spmm_simd(OpenMP&, const HostEllpack<double>&, const SpmmArguments<double>&);
template void spmm_simd(OpenMP&, const HostEllpack<float>&, const SpmmArguments<float>&);
template void spmm_simd(OpenMP&, const HostSell<double>&, const SpmmArguments<double>&);
template void spmm_simd(OpenMP&, const HostSell<float>&, const SpmmArguments<float>&);

}  // namespace stiefel::openmp
