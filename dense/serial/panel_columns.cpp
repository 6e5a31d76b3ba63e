#include "stiefel/dense/panel_columns.hpp"
#include "stiefel/dense/host/panel_columns.hpp"

#include <algorithm>

namespace stiefel {

template <class T>
void scale_columns(Serial&, const double* factors, HostMatrix<T> a) {
    scale_columns_of_rows(factors, a, 0, a.n_rows);
}

template <class T>
void column_maxima(Serial& backend, HostMatrix<const T> a, double* maxima) {
    std::fill_n(maxima, a.n_cols, 0.0);
    column_maxima_of_rows(a, 0, a.n_rows, maxima);
    all_max(backend, maxima, a.n_cols);
}

template void scale_columns(Serial&, const double*, HostMatrix<double>);
template void scale_columns(Serial&, const double*, HostMatrix<float>);
template void column_maxima(Serial&, HostMatrix<const double>, double*);
template void column_maxima(Serial&, HostMatrix<const float>, double*);

}  // namespace stiefel
