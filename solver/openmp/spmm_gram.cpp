#include "stiefel/solver/spmm_gram.hpp"
#include "stiefel/core/cache_lines.hpp"
#include "stiefel/core/reduction.hpp"
#include "stiefel/dense/panel_arguments.hpp"
#include "stiefel/spmv/openmp/spmm/kernels.hpp"
#include "stiefel/spmv/openmp/spmm/row_shares.hpp"
#include "stiefel/spmv/openmp/spmm/simd/kernel.hpp"

#include <algorithm>
#include <utility>

namespace stiefel {

namespace {

/// Most partial sums that the Gram matrix is gathered from.
constexpr Size max_chunks = 256;

/// The rows of A S as spmm()'s default rung makes them, each taken into S' A S while it is in registers.
template <class Matrix>
void multiply_with_gram(OpenMP& backend, const Matrix& a, HostMatrix<const typename Matrix::value_type> s,
                        HostMatrix<typename Matrix::value_type> as, HostMatrix<double> curvature) {
    check_spmm(a.n_rows, a.n_cols, s, as);
    check_gram(shape_of(s), shape_of(as), shape_of(curvature));
    const Index k = s.n_cols;
    const Size bytes = openmp::spmm_bytes(a, k);
    const bool streams = worth_streaming(bytes) && fills_cache_lines(as.data, k, as.ld);
    with_rows(a, [&]<class Rows>(const Rows& rows) {
        const Size blocks = (rows.size() + reduction_block - 1) / reduction_block;
        const Size chunk_rows = std::max<Size>(1, (blocks + max_chunks - 1) / max_chunks) * reduction_block;
        const Size n_chunks = (rows.size() + chunk_rows - 1) / chunk_rows;
        const Size size = Size{k} * k;
        double* const partials = backend.partials(n_chunks * size);
        const auto multiply = [&](Size first, Size last) {
            for (Size begin = first; begin < last; begin += chunk_rows) {
                double* const own = partials + begin / chunk_rows * size;
                std::fill_n(own, size, 0.0);
                widest_rows_kernel<Rows>().multiply_with_gram(
                    rows, {.x = s.data, .ldx = s.ld, .y = as.data, .ldy = as.ld, .k = k}, streams, begin,
                    std::min(begin + chunk_rows, last), own);
            }
        };
        for_nonzero_shares(backend, rows, bytes, multiply, chunk_rows);
        for (Index i = 0; i < k; ++i) {
            for (Index j = 0; j < k; ++j) {
                curvature.data[i * curvature.ld + j] =
                    pairwise_sum(n_chunks, [&](Size chunk) { return partials[chunk * size + i * k + j]; });
            }
        }
        all_sum(backend, curvature.data, k, k, curvature.ld);
    });
}

template <class Matrix>
SpmmGramKernel<OpenMP, Matrix> kernel_for(const Matrix& a, Index k) {
    bool fits = false;
    with_rows(a, [&]<class Rows>(const Rows&) { fits = widest_rows_kernel<Rows>().holds_gram(k); });
    return fits ? multiply_with_gram<Matrix> : nullptr;
}

}  // namespace

template <class T>
SpmmGramKernel<OpenMP, HostCsr<T>> fused_spmm_gram(const OpenMP&, const HostCsr<T>& a, Index k) {
    return kernel_for(a, k);
}
template <class T>
SpmmGramKernel<OpenMP, HostEllpack<T>> fused_spmm_gram(const OpenMP&, const HostEllpack<T>& a, Index k) {
    return kernel_for(a, k);
}
template <class T>
SpmmGramKernel<OpenMP, HostSell<T>> fused_spmm_gram(const OpenMP&, const HostSell<T>& a, Index k) {
    return kernel_for(a, k);
}

template SpmmGramKernel<OpenMP, HostCsr<double>> fused_spmm_gram(const OpenMP&, const HostCsr<double>&, Index);
template SpmmGramKernel<OpenMP, HostCsr<float>> fused_spmm_gram(const OpenMP&, const HostCsr<float>&, Index);
template SpmmGramKernel<OpenMP, HostEllpack<double>> fused_spmm_gram(const OpenMP&, const HostEllpack<double>&, Index);
template SpmmGramKernel<OpenMP, HostEllpack<float>> fused_spmm_gram(const OpenMP&, const HostEllpack<float>&, Index);
template SpmmGramKernel<OpenMP, HostSell<double>> fused_spmm_gram(const OpenMP&, const HostSell<double>&, Index);
template SpmmGramKernel<OpenMP, HostSell<float>> fused_spmm_gram(const OpenMP&, const HostSell<float>&, Index);

}  // namespace stiefel
