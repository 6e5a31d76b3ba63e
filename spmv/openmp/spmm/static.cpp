#include "stiefel/spmv/openmp/spmm/kernels.hpp"
#include "stiefel/spmv/openmp/spmm/row_shares.hpp"
#include "stiefel/spmv/openmp/spmm/rows.hpp"
#include "stiefel/spmv/row_update.hpp"
#include "stiefel/spmv/spmv_work.hpp"

namespace stiefel::openmp {

namespace {

/// Row after row of Y: k sums, to which entry after entry adds its row of X.
template <class Rows, class T>
void multiply_rows(const Rows& rows, const SpmmArguments<T>& s, Size first, Size last) {
    T sums[max_spmm_columns];
    for (Size place = first; place < last; ++place) {
        const Index row = rows.target(place);
        if (row >= rows.n_rows) continue;
        std::fill_n(sums, s.k, T{0});
        const auto entries = rows.entries(place);
        for (Index j = 0; j < entries.count; ++j) {
            const Size at = entries.first + j * entries.step;
            const T value = rows.values[at];
            const T* const x = s.x + rows.col_idx[at] * s.ldx;
            for (Index c = 0; c < s.k; ++c) sums[c] += value * x[c];
        }
        T* const y = s.y + row * s.ldy;
        for (Index c = 0; c < s.k; ++c) update_row(y[c], sums[c], s.alpha, s.beta);
    }
}

}  // namespace

template <class Matrix>
void spmm_static(OpenMP& backend, const Matrix& a, const SpmmArguments<typename Matrix::value_type>& s) {
    with_rows(a, [&](const auto& rows) {
        for_row_shares(backend, rows.size(), spmm_bytes(a, s.k),
                       [&](Size first, Size last) { multiply_rows(rows, s, first, last); });
    });
}

template <class T>
void spmm_padded(OpenMP& backend, const HostEllpack<T>& a, const SpmmArguments<T>& s) {
    with_padded_rows(a, [&](const auto& rows) {
        for_row_shares(backend, rows.size(), spmm_bytes(a, s.k),
                       [&](Size first, Size last) { multiply_rows(rows, s, first, last); });
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
