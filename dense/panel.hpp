#pragma once

#include "stiefel/core/matrix_view.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/core/serial.hpp"
#include "stiefel/core/work.hpp"

#include <type_traits>

namespace stiefel {

/// The dense kernels of block methods, on tall panels of few columns. Small matrices and all sums are double whatever
/// the panels are, so that a Gram matrix of float panels can be factored. All matrices row-major.

/// The most columns that a panel may have; wider ones are for gemm().
inline constexpr Index max_panel_columns = 64;

/// G = P' Q     P: n x p, Q: n x q, G: p x q; P and Q may be the same
/// Summed in an order that depends on n alone. Throws InvalidArgument, naming the argument, if sizes do not fit, a
/// panel has more than max_panel_columns columns, or G overlaps a panel. n (p + q) T bytes (half of it if P is Q), 2 n
/// p q flops.
template <class T>
void gram(Serial&, HostMatrix<const T> p, HostMatrix<const std::type_identity_t<T>> q, HostMatrix<double> g);
template <class T>
void gram(OpenMP&, HostMatrix<const T> p, HostMatrix<const std::type_identity_t<T>> q, HostMatrix<double> g);
template <class T>
void gram(Cuda&, DeviceMatrix<const T> p, DeviceMatrix<const std::type_identity_t<T>> q, DeviceMatrix<double> g);

/// Y = alpha X B + beta Y     X: n x p, B: p x q, Y: n x q, apart from X and B in memory
/// beta = 0 never reads Y. Throws as gram(). n (p + 2 q) T bytes (n (p + q) T if beta = 0), 2 n p q flops.
template <class T>
void panel_update(Serial&, double alpha, HostMatrix<const std::type_identity_t<T>> x, HostMatrix<const double> b,
                  double beta, HostMatrix<T> y);
template <class T>
void panel_update(OpenMP&, double alpha, HostMatrix<const std::type_identity_t<T>> x, HostMatrix<const double> b,
                  double beta, HostMatrix<T> y);
template <class T>
void panel_update(Cuda&, double alpha, DeviceMatrix<const std::type_identity_t<T>> x, DeviceMatrix<const double> b,
                  double beta, DeviceMatrix<T> y);

template <class T>
Work gram_work(Size n, Size p, Size q, bool same) {
    const double rows = static_cast<double>(n);
    return {rows * static_cast<double>(same ? p : p + q) * static_cast<double>(sizeof(T)),
            2 * rows * static_cast<double>(p * q)};
}

template <class T>
Work panel_update_work(Size n, Size p, Size q, bool accumulates) {
    const double rows = static_cast<double>(n);
    return {rows * static_cast<double>(p + (accumulates ? 2 : 1) * q) * static_cast<double>(sizeof(T)),
            2 * rows * static_cast<double>(p * q)};
}

}  // namespace stiefel
