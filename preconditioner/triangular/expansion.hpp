#pragma once

#include "stiefel/preconditioner/triangular/level_triangle.hpp"

// A triangle with fewer levels. With L = D (I + N), c = D^-1 b and p >= 2, the solution of L x = b is
//   x = c' + (-N)^p x,  c' = (I - N + N^2 - ... + (-N)^(p-1)) c,
// since all these commute. N^p has a p-th of N's levels, and c' waits for nothing; both have more entries (Heller 1978
// carries this to the end, p >= n).
//
// Or N = N_d + N_o, N_d what couples levels of the same p: blocks on the diagonal, when rows come level after level.
//   x = c' - (I + N_d)^-1 N_o x,  c' = (I + N_d)^-1 c,  (I + N_d)^-1 = I - N_d + N_d^2 - ... + (-N_d)^(p-1)
// has as few levels and fewer entries, since only a block's last level is reached by ways of p steps (after Alvarado
// and Schreiber 1993).

namespace stiefel::triangular {

struct Expansion {
    int steps = 0;                ///< p = 2^steps of N's levels become one; 0: none
    bool inverts_blocks = false;  ///< on the diagonal, instead of multiplying N with itself

    int levels() const { return 1 << steps; }

    /// How many times as large as a substitution's the errors of one may become, where `growth` is that of the
    /// triangle. With inverted blocks they are relative to (I + |N_d|) (I + |N_d| + ...) (I + |N| + |N_o|) |x|, which
    /// is at most 4 times what they are relative to with powers.
    double error_growth(double growth) const;
};

/// N, its rows as they are numbered. inverse: of L's diagonal.
template <class T>
HostCsr<T> scaled_rows(const LevelTriangle<T>& a, const HostVector<T>& inverse);

/// N_d and N_o, as scaled_rows() has N.
template <class T>
struct SplitByBlocks {
    HostCsr<T> within = {}, between = {};
};

template <class T>
SplitByBlocks<T> split_by_blocks(const LevelTriangle<T>& a, const HostVector<T>& inverse, int p);

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
