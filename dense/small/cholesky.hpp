#pragma once

#include "stiefel/dense/small/team.hpp"

#include <cmath>

namespace stiefel {

/// Which directions of a Gram matrix count as new: what is left of diagonal element i after those before it have been
/// taken out must exceed  relative * a_ii  and  absolute.
struct RankTolerance {
    double relative = 0;
    double absolute = 0;
};

/// The place of the pivot: the row whose diagonal has kept the largest part of itself, -1 if none is above the
/// tolerance. NaN is never a pivot.
constexpr Index next_pivot(Index n, const double* a, const double* rest, const RankTolerance& tolerance) {
    Index pivot = -1;
    double largest_rest = 0;
    double largest_own = 1;
    for (Index i = 0; i < n; ++i) {
        const double own = a[i * n + i];
        if (!(rest[i] > tolerance.relative * own) || !(rest[i] > tolerance.absolute) || !(own > 0)) continue;
        // rest_i / own_i > largest, without a division, of which a device does few
        if (rest[i] * largest_own > largest_rest * own) {
            largest_rest = rest[i];
            largest_own = own;
            pivot = i;
        }
    }
    return pivot;
}

/// Cholesky factorisation with pivoting of a symmetric positive semidefinite matrix (Higham 2002, section 10.3), the
/// pivots chosen as if its diagonal were scaled to ones, so that a Gram matrix of short and long vectors is judged by
/// angles alone:  A = L L' up to what the tolerance leaves out.
///   a      n x n, symmetric; not changed
///   l      n x n; columns rank .. n-1 become 0. Row i belongs to row i of A: L is triangular only in the order of the
///          pivots
///   rest   n; what is left of the diagonal: 0 for the pivots
///   order  n; the pivots' rows, then -1
/// All row-major without gaps, shared by the team. Returns the rank. n^3 / 3 flops.
template <class Team>
constexpr Index pivoted_cholesky(const Team& team, Index n, const double* a, const RankTolerance& tolerance, double* l,
                                 double* rest, Index* order) {
    team.for_each(n * n, [=](Index e) { l[e] = 0; });
    team.for_each(n, [=](Index i) {
        rest[i] = a[i * n + i];
        order[i] = -1;
    });
    for (Index rank = 0; rank < n; ++rank) {
        const Index pivot = next_pivot(n, a, rest, tolerance);
        if (pivot < 0) return rank;
        const double root = std::sqrt(rest[pivot]);
        team.for_each(n, [=](Index i) {
            if (i == pivot) {
                order[rank] = pivot;
                l[i * n + rank] = root;
                rest[i] = 0;
                return;
            }
            for (Index c = 0; c < rank; ++c) {
                if (order[c] == i) return;
            }
            double sum = a[i * n + pivot];
            for (Index c = 0; c < rank; ++c) sum -= l[i * n + c] * l[pivot * n + c];
            l[i * n + rank] = sum / root;
            rest[i] -= l[i * n + rank] * l[i * n + rank];
        });
    }
    return n;
}

/// Z with  Z' A Z = I  on the columns that pivoted_cholesky took, zeros elsewhere: so W Z is orthonormal where A = W'
/// W, and Z Z' is the inverse of A if the rank is full.
///   z  n x n, row-major; columns rank .. n-1 become 0
template <class Team>
constexpr void inverse_factor(const Team& team, Index n, Index rank, const double* l, const Index* order, double* z) {
    team.for_each(n * n, [=](Index e) { z[e] = 0; });
    team.for_each(rank, [=](Index c) {
        for (Index i = c; i >= 0; --i) {
            double sum = i == c ? 1 : 0;
            for (Index m = i + 1; m <= c; ++m) sum -= l[order[m] * n + i] * z[order[m] * n + c];
            z[order[i] * n + c] = sum / l[order[i] * n + i];
        }
    });
}

}  // namespace stiefel
