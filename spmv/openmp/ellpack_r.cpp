#include "stiefel/spmv/openmp/ellpack_rows.hpp"
#include "stiefel/spmv/openmp/kernels.hpp"
#include "stiefel/spmv/openmp/prefetch.hpp"
#include "stiefel/spmv/openmp/row_blocks.hpp"
#include "stiefel/spmv/row_update.hpp"

#include <algorithm>

namespace stiefel::openmp {

namespace {

/// Rows i..i+3 over the columns that all of them have, then each alone over the rest of its own.
template <class Arrays, class T>
void multiply_four_rows(const Arrays& a, const Index* length, const SpmvArguments<T>& s, Index i) {
    const Index common = std::min({length[i], length[i + 1], length[i + 2], length[i + 3]});
    T sum[4] = {};
    for (Index j = 0; j < common; ++j) {
        prefetch_entries(a.values, a.col_idx, a.position(i, j));
        for (int row = 0; row < 4; ++row) sum[row] += a.product(s.x, i + row, j);
    }
    for (int row = 0; row < 4; ++row) {
        for (Index j = common; j < length[i + row]; ++j) sum[row] += a.product(s.x, i + row, j);
    }
    for (int row = 0; row < 4; ++row) update_row(s.y[i + row], sum[row], s.alpha, s.beta);
}

}  // namespace

template <class T>
void ellpack_r(OpenMP& backend, const HostEllpack<T>& a, const SpmvArguments<T>& s) {
    const Index* const length = a.row_length.data();
    visit_layout(a, [&](const auto& arrays) {
        for_row_blocks(backend, a, s, [&](Index first, Index last) {
            Index i = first;
            for (; i + 4 <= last; i += 4) multiply_four_rows(arrays, length, s, i);
            for (; i < last; ++i) {
                T sum = 0;
                for (Index j = 0; j < length[i]; ++j) sum += arrays.product(s.x, i, j);
                update_row(s.y[i], sum, s.alpha, s.beta);
            }
        });
    });
}

template void ellpack_r(OpenMP&, const HostEllpack<double>&, const SpmvArguments<double>&);
template void ellpack_r(OpenMP&, const HostEllpack<float>&, const SpmvArguments<float>&);

}  // namespace stiefel::openmp
