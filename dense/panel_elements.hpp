#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/core/matrix_view.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/core/random.hpp"
#include "stiefel/core/serial.hpp"
#include "stiefel/dense/column_list.hpp"

#include <cmath>

namespace stiefel {

// What block methods do to panels row by row. Each operation is an object that is called with a row number, in any
// order and by any thread, so that host and device share its text; for_rows (panel_rows.hpp) runs it.

/// Y_ij = a random number, uniform in (-1, 1), fixed by seed, first + i and j.                            n k T bytes
template <class T, class Memory>
struct RandomRows {
    std::uint64_t seed;
    MatrixView<T, Memory> y;
    Size first = 0;

    constexpr void operator()(Size i) const {
        const RandomRow random(seed, first + i);
        for (Index j = 0; j < y.n_cols; ++j) y.data[i * y.ld + j] = static_cast<T>(2 * random.uniform(j) - 1);
    }
};

/// Y = a X                                                                                       2 n k T bytes
template <class T, class Memory>
struct AssignRows {
    T a;
    MatrixView<const T, Memory> x;
    MatrixView<T, Memory> y;

    constexpr void operator()(Size i) const {
        for (Index j = 0; j < y.n_cols; ++j) y.data[i * y.ld + j] = a * x.data[i * x.ld + j];
    }
};

/// Y = a diag(d) X                                                                      (2 n k + n) T bytes
template <class T, class Memory>
struct ScaleRows {
    const T* d;
    MatrixView<const T, Memory> x;
    MatrixView<T, Memory> y;
    T a = 1;

    constexpr void operator()(Size i) const {
        for (Index j = 0; j < y.n_cols; ++j) y.data[i * y.ld + j] = a * d[i] * x.data[i * x.ld + j];
    }
};

/// y_i = sqrt(x_i)                                                                                 2 n T bytes
template <class T, class Memory>
struct RootRows {
    const T* x;
    T* y;

    constexpr void operator()(Size i) const { y[i] = std::sqrt(x[i]); }
};

/// Y = a Y + b X + c diag(d) (R - AX), a step of the Chebyshev iteration; Y is not read where a = 0.
///                                                                                      (5 n k + n) T bytes
template <class T, class Memory>
struct ChebyshevRows {
    T a;
    MatrixView<T, Memory> y;
    T b;
    MatrixView<const T, Memory> x;
    T c;
    const T* d;
    MatrixView<const T, Memory> r;
    MatrixView<const T, Memory> ax;

    constexpr void operator()(Size i) const {
        for (Index j = 0; j < y.n_cols; ++j) {
            const T old = a == T{0} ? T{0} : a * y.data[i * y.ld + j];
            const T correction = c * d[i] * (r.data[i * r.ld + j] - ax.data[i * ax.ld + j]);
            y.data[i * y.ld + j] = old + b * x.data[i * x.ld + j] + correction;
        }
    }
};

/// Y = Y + a X + b R                                                                             4 n k T bytes
template <class T, class Memory>
struct CombineRows {
    T a;
    MatrixView<const T, Memory> x;
    T b;
    MatrixView<const T, Memory> r;
    MatrixView<T, Memory> y;

    constexpr void operator()(Size i) const {
        for (Index j = 0; j < y.n_cols; ++j) {
            y.data[i * y.ld + j] += a * x.data[i * x.ld + j] + b * r.data[i * r.ld + j];
        }
    }
};

/// Columns 0 .. list.count - 1 of X become those that the list names.                            2 n k T bytes
template <class T, class Memory>
struct KeepColumns {
    ColumnList list;
    MatrixView<T, Memory> x;

    constexpr void operator()(Size i) const {
        for (Index j = 0; j < list.count; ++j) x.data[i * x.ld + j] = x.data[i * x.ld + list.column[j]];
    }
};

// On a device an operation is run by the overload for its type; panel_rows.hpp has the rest.
template <class T>
void for_rows(Cuda&, Size n, Size bytes, const RandomRows<T, DeviceMemory>&);
template <class T>
void for_rows(Cuda&, Size n, Size bytes, const AssignRows<T, DeviceMemory>&);
template <class T>
void for_rows(Cuda&, Size n, Size bytes, const ScaleRows<T, DeviceMemory>&);
template <class T>
void for_rows(Cuda&, Size n, Size bytes, const RootRows<T, DeviceMemory>&);
template <class T>
void for_rows(Cuda&, Size n, Size bytes, const ChebyshevRows<T, DeviceMemory>&);
template <class T>
void for_rows(Cuda&, Size n, Size bytes, const CombineRows<T, DeviceMemory>&);
template <class T>
void for_rows(Cuda&, Size n, Size bytes, const KeepColumns<T, DeviceMemory>&);

}  // namespace stiefel
