#include "stiefel/spmv/openmp/ellpack_rows.hpp"
#include "stiefel/spmv/openmp/kernels.hpp"
#include "stiefel/spmv/openmp/prefetch.hpp"
#include "stiefel/spmv/openmp/row_blocks.hpp"
#include "stiefel/spmv/row_update.hpp"

namespace stiefel::openmp {

namespace {

/// Rows i..i+3, two columns at a time: eight sums that do not wait for each other. Every row is of one length, so there
/// is no end to predict.
template <class Arrays, class T>
void multiply_four_rows(const Arrays& a, Index width, const SpmvArguments<T>& s, Index i) {
    T even[4] = {};
    T odd[4] = {};
    Index j = 0;
    for (; j + 2 <= width; j += 2) {
        prefetch_entries(a.values, a.col_idx, a.position(i, j));
        for (int row = 0; row < 4; ++row) even[row] += a.product(s.x, i + row, j);
        for (int row = 0; row < 4; ++row) odd[row] += a.product(s.x, i + row, j + 1);
    }
    if (j < width) {
        for (int row = 0; row < 4; ++row) even[row] += a.product(s.x, i + row, j);
    }
    for (int row = 0; row < 4; ++row) update_row(s.y[i + row], even[row] + odd[row], s.alpha, s.beta);
}

}  // namespace

template <class T>
void ellpack_4x2(OpenMP& backend, const HostEllpack<T>& a, const SpmvArguments<T>& s) {
    visit_layout(a, [&](const auto& arrays) {
        for_row_blocks(backend, a, s, [&](Index first, Index last) {
            Index i = first;
            for (; i + 4 <= last; i += 4) multiply_four_rows(arrays, a.width, s, i);
            for (; i < last; ++i) {
                T sum = 0;
                for (Index j = 0; j < a.width; ++j) sum += arrays.product(s.x, i, j);
                update_row(s.y[i], sum, s.alpha, s.beta);
            }
        });
    });
}

template void ellpack_4x2(OpenMP&, const HostEllpack<double>&, const SpmvArguments<double>&);
template void ellpack_4x2(OpenMP&, const HostEllpack<float>&, const SpmvArguments<float>&);

}  // namespace stiefel::openmp
