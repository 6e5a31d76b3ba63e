#pragma once

#include "stiefel/preconditioner/triangular/level_triangle.hpp"

// A triangle with fewer levels. With L = D (I + N), c = D^-1 b and p >= 2, the solution of L x = b is
//   x = c' + (-N)^p x,  c' = (I - N + N^2 - ... + (-N)^(p-1)) c,
// since all these commute. N^p has a p-th of N's levels, and c' waits for nothing; both have more entries (Heller 1978
// carries this to the end, p >= n; Alvarado and Schreiber 1993 split the inverse otherwise).

namespace stiefel::triangular {

/// N, its rows as they are numbered. inverse: of L's diagonal.
template <class T>
HostCsr<T> scaled_rows(const LevelTriangle<T>& a, const HostVector<T>& inverse);

/// Rows in the order of levels, as in LevelTriangle.
struct LevelOrder {
    HostVector<Index> level_start = {};
    HostVector<Index> row = {};
};

/// Of N^p, in which a row depends on rows p levels before it and earlier ones: N's levels, p at a time.
template <class T>
LevelOrder merged_levels(const LevelTriangle<T>& a, Side side, int p);

/// How much more rounding errors may grow in it than in a substitution: the largest element of
/// (I - |N|)^-1 (I + |N|)^2 e. A few where L is dominated by its diagonal.
template <class T>
double growth(const LevelTriangle<T>& a, const HostVector<T>& inverse);

}  // namespace stiefel::triangular
