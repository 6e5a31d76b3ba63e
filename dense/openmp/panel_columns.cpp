#include "stiefel/dense/panel_columns.hpp"
#include "stiefel/core/blocks.hpp"
#include "stiefel/dense/host/panel_columns.hpp"

#include <algorithm>

namespace stiefel {

template <class T>
void scale_columns(OpenMP& backend, const double* factors, HostMatrix<T> a) {
    const Size bytes = Size{a.n_rows} * a.n_cols * 2 * static_cast<Size>(sizeof(T));
    for_each_block(backend, a.n_rows, bytes,
                   [&](Size begin, Size end) { scale_columns_of_rows(factors, a, begin, end); });
}

template <class T>
void column_maxima(OpenMP& backend, HostMatrix<const T> a, double* maxima) {
    const Size bytes = Size{a.n_rows} * a.n_cols * static_cast<Size>(sizeof(T));
    const Size n_blocks = n_reduction_blocks(a.n_rows);
    double* const of_block = backend.partials(n_blocks * a.n_cols);
    std::fill_n(of_block, n_blocks * a.n_cols, 0.0);
    for_each_block(backend, a.n_rows, bytes, [&](Size begin, Size end) {
        column_maxima_of_rows(a, begin, end, of_block + begin / reduction_block * a.n_cols);
    });
    std::fill_n(maxima, a.n_cols, 0.0);
    column_maxima_of_rows<double>({of_block, static_cast<Index>(n_blocks), a.n_cols, std::max<Size>(1, a.n_cols)}, 0,
                                  n_blocks, maxima);
    all_max(backend, maxima, a.n_cols);
}

template void scale_columns(OpenMP&, const double*, HostMatrix<double>);
template void scale_columns(OpenMP&, const double*, HostMatrix<float>);
template void column_maxima(OpenMP&, HostMatrix<const double>, double*);
template void column_maxima(OpenMP&, HostMatrix<const float>, double*);

}  // namespace stiefel
