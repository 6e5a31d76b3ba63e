#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/core/random.hpp"
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

/// d = w r,  x = d  or  x += d  or  x += e + d, with a weight w for each row of k columns          3 to 5 n k S bytes
template <class S>
struct WeightedStep {
    const S* weights;
    const S* r;
    const S* e;  ///< may be null
    S* d;
    S* x;
    Index k;
    bool from_zero;

    constexpr void operator()(Size row) const {
        for (Size i = row * k; i < (row + 1) * k; ++i) {
            const S step = weights[row] * r[i];
            const S before = from_zero ? S{0} : x[i];
            d[i] = step;
            x[i] = before + (e != nullptr ? e[i] + step : step);
        }
    }
};

/// to = weight from, between precisions: what a level that is visited twice keeps of the first visit, and begins the
/// second with.                                                                        n (From + To) bytes
template <class From, class To>
struct Scaled {
    double weight;
    const From* from;
    To* to;

    constexpr void operator()(Size i) const { to[i] = static_cast<To>(weight * static_cast<double>(from[i])); }
};

/// x = y + weight x: after the second visit.                                              (8 + 2 S) n bytes
template <class S>
struct AddVisits {
    double weight;
    const double* y;
    S* x;

    constexpr void operator()(Size i) const { x[i] = static_cast<S>(y[i] + weight * static_cast<double>(x[i])); }
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

/// r: a random right-hand side.                                                                           n S bytes
template <class S>
struct RandomSide {
    S* r;

    constexpr void operator()(Size i) const { r[i] = static_cast<S>(2 * RandomRow(1, i).uniform(0) - 1); }
};

// On a device an operation is run by the overload for its type; dense/panel_rows.hpp has the rest.
template <class S>
void for_rows(Cuda&, Size n, Size bytes, const BeginFromZero<S>&);
template <class S>
void for_rows(Cuda&, Size n, Size bytes, const BeginFromCorrection<S>&);
template <class S>
void for_rows(Cuda&, Size n, Size bytes, const Continue<S>&);
template <class S>
void for_rows(Cuda&, Size n, Size bytes, const WeightedStep<S>&);
template <class From, class To>
void for_rows(Cuda&, Size n, Size bytes, const Scaled<From, To>&);
template <class S>
void for_rows(Cuda&, Size n, Size bytes, const AddVisits<S>&);
template <class T, class S>
void for_rows(Cuda&, Size n, Size bytes, const Enter<T, S>&);
template <class T, class S>
void for_rows(Cuda&, Size n, Size bytes, const Leave<T, S>&);
template <class T, class S>
void for_rows(Cuda&, Size n, Size bytes, const EnterRows<T, S>&);
template <class T, class S>
void for_rows(Cuda&, Size n, Size bytes, const LeaveRows<T, S>&);
template <class S>
void for_rows(Cuda&, Size n, Size bytes, const RandomSide<S>&);

}  // namespace stiefel::amg
