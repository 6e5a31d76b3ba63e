#pragma once

#include "stiefel/preconditioner/triangular/level_triangle.hpp"

namespace stiefel::triangular {

/// A triangle with fewer levels. With L = D (I + N), c = D^-1 b and p = 2^steps, the solution of L x = b is
///   x = c' + N^p x,  c' = (I - N + N^2 - ... - N^(p-1)) c,
/// since all these commute. N^p has a p-th of N's levels, and c' waits for nothing; both have more entries (Heller 1978
/// carries this to the end, p >= n; Alvarado and Schreiber 1993 split the inverse otherwise).
template <class T>
struct Expansion {
    HostCsr<T> early = {};       ///< c' = early b
    LevelTriangle<T> late = {};  ///< -N^p
};

/// steps >= 1. inverse: of L's diagonal.
template <class T>
Expansion<T> expanded(const LevelTriangle<T>& a, const HostVector<T>& inverse, Side side, int steps);

/// How much more rounding errors may grow in it than in a substitution: the largest element of
/// (I - |N|)^-1 (I + |N|)^2 e. A few where L is dominated by its diagonal.
template <class T>
double growth(const LevelTriangle<T>& a, const HostVector<T>& inverse);

}  // namespace stiefel::triangular
