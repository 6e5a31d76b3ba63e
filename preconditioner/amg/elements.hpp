#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/core/types.hpp"

namespace stiefel::amg {

// What a cycle does element by element, as objects for for_rows(): panels of a cycle are contiguous, and its matrices
// have a unit diagonal, so that an element needs to know no row.

/// d = r / theta,  x = d: a smoother's first step from x = 0                                        3 n S bytes
template <class S>
struct BeginFromZero {
    S inverse_theta;
    const S* r;
    S* d;
    S* x;

    constexpr void operator()(Size i) const {
        const S step = inverse_theta * r[i];
        d[i] = step;
        x[i] = step;
    }
};

/// d = r / theta,  x += e + d: the first step after a correction e                                  5 n S bytes
template <class S>
struct BeginFromCorrection {
    S inverse_theta;
    const S* r;
    const S* e;
    S* d;
    S* x;

    constexpr void operator()(Size i) const {
        const S step = inverse_theta * r[i];
        d[i] = step;
        x[i] += e[i] + step;
    }
};

/// d = rho d + sigma r,  x += d: the others                                                         5 n S bytes
template <class S>
struct Continue {
    S rho;
    S sigma;
    const S* r;
    S* d;
    S* x;

    constexpr void operator()(Size i) const {
        const S step = rho * d[i] + sigma * r[i];
        d[i] = step;
        x[i] += step;
    }
};

/// to = scale r, rounded: the right-hand side of the finest level.                           (2 T + S) n bytes
template <class T, class S>
struct Enter {
    const T* scale;
    const T* r;
    S* to;

    constexpr void operator()(Size i) const { to[i] = static_cast<S>(scale[i] * r[i]); }
};

/// And back, with the same scaling.
template <class T, class S>
struct Leave {
    const T* scale;
    const S* x;
    T* z;

    constexpr void operator()(Size i) const { z[i] = scale[i] * static_cast<T>(x[i]); }
};

/// The same for panels of k columns, of rows ldr and ldz apart.
template <class T, class S>
struct EnterRows {
    const T* scale;
    const T* r;
    Size ldr;
    S* to;
    Index k;

    constexpr void operator()(Size i) const {
        for (Index j = 0; j < k; ++j) to[i * k + j] = static_cast<S>(scale[i] * r[i * ldr + j]);
    }
};
template <class T, class S>
struct LeaveRows {
    const T* scale;
    const S* x;
    T* z;
    Size ldz;
    Index k;

    constexpr void operator()(Size i) const {
        for (Index j = 0; j < k; ++j) z[i * ldz + j] = scale[i] * static_cast<T>(x[i * k + j]);
    }
};

// On a device an operation is run by the overload for its type; dense/panel_rows.hpp has the rest.
template <class S>
void for_rows(Cuda&, Size n, Size bytes, const BeginFromZero<S>&);
template <class S>
void for_rows(Cuda&, Size n, Size bytes, const BeginFromCorrection<S>&);
template <class S>
void for_rows(Cuda&, Size n, Size bytes, const Continue<S>&);
template <class T, class S>
void for_rows(Cuda&, Size n, Size bytes, const Enter<T, S>&);
template <class T, class S>
void for_rows(Cuda&, Size n, Size bytes, const Leave<T, S>&);
template <class T, class S>
void for_rows(Cuda&, Size n, Size bytes, const EnterRows<T, S>&);
template <class T, class S>
void for_rows(Cuda&, Size n, Size bytes, const LeaveRows<T, S>&);

}  // namespace stiefel::amg
