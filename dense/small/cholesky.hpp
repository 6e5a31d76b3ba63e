#pragma once

#include "stiefel/dense/small/team.hpp"

#include <utility>

namespace stiefel {

/// Which directions of a Gram matrix count as new: what is left of diagonal element i after those before it have been
/// taken out must exceed  relative * a_ii  and  absolute.
struct RankTolerance {
    double relative = 0;
    double absolute = 0;
};

/// Cholesky factorisation with pivoting of a symmetric positive semidefinite matrix (Higham 2002, section 10.3), the
/// pivots chosen as if its diagonal were scaled to ones, so that a Gram matrix of short and long vectors is judged by
/// angles alone; and the inverse of the factor:
///     A = R' R  up to what the tolerance leaves out,    V A V' = I,    V R' = I  on the first rank rows
/// so W V' is orthonormal where A = W' W, and V' V is the inverse of A if the rank is full.
///   a, room   n x n, n <= max_rows <= 256: A and as much again; overwritten
///   r         n x n, or null if it is not wanted. Its columns are those of A: it is triangular only in the order of
///   the
///             pivots. Rows rank .. n-1 become 0
///   v         n x n; rows rank .. n-1 become 0
///   rest      n; what is left of the diagonal: 0 for the pivots
/// All row-major without gaps, shared by the team. Returns the rank. The error of A - R' R is a small multiple of
/// n eps |R'||R|, that of V A V' - I of n eps times the condition of A with its diagonal scaled to ones. n^3 flops.
///
/// Rows are eliminated from [A I] one after the other, each time in all rows that are left, so that a block's threads
/// share n^2 elements and wait once a pivot. The columns of A that are done make room for those of I that begin to
/// fill, so that one matrix holds both.
template <Index max_rows, class Team>
constexpr Index pivoted_cholesky(const Team& team, Index n, double* a, double* room, const RankTolerance& tolerance,
                                 double* r, double* v, double* rest) {
    double* const per_own = rest;
    team.for_each(n, [=](Index i) { per_own[i] = a[i * n + i] > 0 ? 1 / a[i * n + i] : 0; });
    IndexSet<max_rows> done;
    Index rank = 0;
    for (; rank < n; ++rank) {
        const auto [pivot, scale] = team.largest(
            n,
            [=](Index i) {  // NaN is never a pivot
                const double left = a[i * n + i];
                const double share = left * per_own[i];
                return !done.contains(i) && share > tolerance.relative && left > tolerance.absolute ? share : 0.0;
            },
            [=](Index i) { return team.inverse_root(a[i * n + i]); });
        if (pivot < 0) break;
        team.for_each_pair_at_once(n, n, [=, pivot = pivot, scale = scale](Index i, Index j) {
            if (done.contains(i)) return;
            const double* const pivot_row = a + pivot * n;
            const double above = scale * (j == pivot ? 1 : pivot_row[j]);
            if (i != pivot) {
                room[i * n + j] = (j == pivot ? 0 : a[i * n + j]) - scale * pivot_row[i] * above;
                return;
            }
            v[rank * n + j] = j == pivot || done.contains(j) ? above : 0;
            if (r != nullptr) r[rank * n + j] = done.contains(j) ? 0 : scale * pivot_row[j];
        });
        std::swap(a, room);
        done.insert(pivot);
    }
    team.for_each_pair(n - rank, n, [=](Index i, Index j) {
        v[(rank + i) * n + j] = 0;
        if (r != nullptr) r[(rank + i) * n + j] = 0;
    });
    team.for_each(n, [=](Index i) { rest[i] = done.contains(i) ? 0 : a[i * n + i]; });
    return rank;
}

}  // namespace stiefel
