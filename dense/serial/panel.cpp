#include "stiefel/dense/panel.hpp"
#include "stiefel/dense/panel_arguments.hpp"

#include <algorithm>
#include <array>

namespace stiefel {

template <class T>
void gram(Serial& backend, HostMatrix<const T> p, HostMatrix<const std::type_identity_t<T>> q, HostMatrix<double> g) {
    check_gram(shape_of(p), shape_of(q), shape_of(g));
    for (Index i = 0; i < g.n_rows; ++i) std::fill_n(g.data + i * g.ld, g.n_cols, 0.0);
    for (Size row = 0; row < p.n_rows; ++row) {
        for (Index i = 0; i < g.n_rows; ++i) {
            const double factor = p.data[row * p.ld + i];
            for (Index j = 0; j < g.n_cols; ++j) g.data[i * g.ld + j] += factor * q.data[row * q.ld + j];
        }
    }
    all_sum(backend, g.data, g.n_rows, g.n_cols, g.ld);
}

template <class T>
void panel_update(Serial&, double alpha, HostMatrix<const std::type_identity_t<T>> x, HostMatrix<const double> b,
                  double beta, HostMatrix<T> y) {
    check_panel_update(shape_of(x), shape_of(b), shape_of(y));
    std::array<double, max_panel_columns> sums;
    for (Size row = 0; row < x.n_rows; ++row) {
        sums.fill(0);
        for (Index i = 0; i < b.n_rows; ++i) {
            const double factor = x.data[row * x.ld + i];
            for (Index j = 0; j < b.n_cols; ++j) sums[static_cast<std::size_t>(j)] += factor * b.data[i * b.ld + j];
        }
        for (Index j = 0; j < b.n_cols; ++j) {
            T& place = y.data[row * y.ld + j];
            const double sum = alpha * sums[static_cast<std::size_t>(j)];
            place = static_cast<T>(beta == 0 ? sum : sum + beta * place);
        }
    }
}

template void gram(Serial&, HostMatrix<const double>, HostMatrix<const double>, HostMatrix<double>);
template void gram(Serial&, HostMatrix<const float>, HostMatrix<const float>, HostMatrix<double>);
template void panel_update(Serial&, double, HostMatrix<const double>, HostMatrix<const double>, double,
                           HostMatrix<double>);
template void panel_update(Serial&, double, HostMatrix<const float>, HostMatrix<const double>, double,
                           HostMatrix<float>);

}  // namespace stiefel
