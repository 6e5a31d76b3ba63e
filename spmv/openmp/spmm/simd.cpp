#include "stiefel/spmv/openmp/spmm/kernels.hpp"
#include "stiefel/spmv/openmp/spmm/row_shares.hpp"
#include "stiefel/spmv/openmp/spmm/simd/kernel.hpp"

namespace stiefel::openmp {

namespace {

/// The widest registers of this machine.
template <class Rows>
auto widest_kernel() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return multiply_in_registers<Avx512, Rows>;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return multiply_in_registers<Avx2, Rows>;
#endif
    return multiply_in_registers<Baseline, Rows>;
}

}  // namespace

template <class Matrix>
void spmm_simd(OpenMP& backend, const Matrix& a, const SpmmArguments<typename Matrix::value_type>& s) {
    with_rows(a, [&]<class Rows>(const Rows& rows) {
        static const auto multiply = widest_kernel<Rows>();
        for_nonzero_shares(backend, rows, spmm_bytes(a, s.k),
                           [&](Size first, Size last) { multiply(rows, s, first, last); });
    });
}

template void spmm_simd(OpenMP&, const HostCsr<double>&, const SpmmArguments<double>&);
template void spmm_simd(OpenMP&, const HostCsr<float>&, const SpmmArguments<float>&);
template void spmm_simd(OpenMP&, const HostEllpack<double>&, const SpmmArguments<double>&);
template void spmm_simd(OpenMP&, const HostEllpack<float>&, const SpmmArguments<float>&);
template void spmm_simd(OpenMP&, const HostSell<double>&, const SpmmArguments<double>&);
template void spmm_simd(OpenMP&, const HostSell<float>&, const SpmmArguments<float>&);

}  // namespace stiefel::openmp
