#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/dense/column_list.hpp"
#include "stiefel/dense/small/cholesky.hpp"
#include "stiefel/dense/small/run.hpp"
#include "stiefel/dense/small/symmetric_eigen.hpp"
#include "stiefel/dense/small/tridiagonal_ql.hpp"
#include "stiefel/preconditioner/eigen_end.hpp"

#include <limits>

namespace stiefel {

// The small dense problems of block eigensolvers, solved where the backend computes (see dense/small/team.hpp).

/// Coefficients F with which  [V W] F  is an orthonormal basis of what W adds to the orthonormal V, from the Gram
/// matrix  [V W]' W: block Gram-Schmidt in one go by Pythagoras (Carson, Lund, Rozloznik and Thomas 2022), W'W - (V'W)'
/// (V'W) = R'R by Cholesky with pivoting. Two passes give orthonormality to working precision.
struct OrthonormaliseProblem {
    Index v = 0;           ///< columns of V
    Index w = 0;           ///< columns of W
    double tolerance = 0;  ///< columns of W whose squared sine with what came before is below it are left out
    const double* gram_v;  ///< V'W, v x w
    const double* gram_w;  ///< W'W, w x w
    double* f;             ///< (v + w) x w; columns rank .. w - 1 become 0
    double* work;          ///< 3 w^2 + w
    Index* rank;           ///< 1; w where something is not finite, and F then is NaN

    template <class Team>
    constexpr void operator()(const Team& team) const {
        double* const h = work;
        double* const room = h + w * w;
        double* const inverse = room + w * w;
        double* const rest = inverse + w * w;
        team.for_each(w * w, [&](Index e) {
            const Index i = e / w, j = e % w;
            double sum = (gram_w[i * w + j] + gram_w[j * w + i]) / 2;
            for (Index c = 0; c < v; ++c) sum -= gram_v[c * w + i] * gram_v[c * w + j];
            const bool gone = i == j && sum <= tolerance * gram_w[e];
            h[e] = gone ? 0 : sum;
        });
        bool finite = true;
        for (Index j = 0; j < w; ++j) finite = finite && h[j * w + j] - h[j * w + j] == 0;
        const Index found =
            pivoted_cholesky<max_small_eigen>(team, w, h, room, {.relative = tolerance}, nullptr, inverse, rest);
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        team.for_each(w, [&](Index j) {
            for (Index i = 0; i < v; ++i) {
                double sum = 0;
                for (Index c = 0; c < w; ++c) sum -= gram_v[i * w + c] * inverse[j * w + c];
                f[i * w + j] = finite ? sum : nan;
            }
            for (Index i = 0; i < w; ++i) f[(v + i) * w + j] = finite ? inverse[j * w + i] : nan;
            if (j == 0) *rank = finite ? found : w;
        });
    }
};

/// Ritz pairs from T = S'A S, S = [X P W] orthonormal but for columns that are 0, and the basis of the next step
/// [X' P'] = S [C_X C_P]: X' the Ritz vectors wanted, P' an orthonormal basis of what the old X adds to them, which
/// makes [X' P'] orthonormal without touching a long vector (Hetmaniuk and Lehoucq 2006; in this form Duersch, Shao,
/// Yang and Gu 2018).
struct RayleighRitzProblem {
    Index x = 0, p = 0, w = 0;  ///< columns of X, P and W
    Index wanted = 0;           ///< columns of X'
    ColumnList active = {};     ///< columns of X whose directions P' keeps
    bool complement = false;    ///< P' keeps what X' leaves of S instead, as many columns of it
    EigenEnd which = EigenEnd::smallest;
    double* t;  ///< in: upper triangle of T, of the whole S or but for P'AX = 0. out: T of [X' P']
    Size ldt;
    Index* ranks;    ///< in: of P, of W: their columns that are not 0 come first. out: of P'
    double* c;       ///< (x + p + w) x (wanted + active.count)
    double* values;  ///< wanted
    double* eigen;   ///< SmallEigen::doubles(x + p + w)
    double* basis;   ///< (x + p + w + 1) (active.count + 1)
    Index* indices;  ///< 2 (x + p + w)

    /// The pair that stands at place j of the order wanted, among s in ascending order.
    template <class Team>
    constexpr void pick(const Team& team, const SmallEigen& e, Index* picks) const {
        team.for_each(1, [&](Index) {
            Index low = 0, high = e.n - 1;
            for (Index j = 0; j < e.n; ++j) {
                const bool from_top =
                    which == EigenEnd::largest || (which == EigenEnd::magnitude && -e.values[low] < e.values[high]);
                picks[j] = from_top ? high-- : low++;
            }
        });
    }

    template <class Team>
    constexpr void operator()(const Team& team) const {
        const Index rank_p = p > 0 ? ranks[0] : 0, rank_w = w > 0 ? ranks[1] : 0;
        const Index s = x + rank_p + rank_w;
        const SmallEigen e = SmallEigen::in(s, eigen, indices);
        const auto place = [=, this](Index i) {  // in S of what is number i among its columns that are not 0
            return i < x ? i : i < x + rank_p ? i : i - rank_p + p;
        };
        team.for_each(s, [&](Index i) {
            for (Index j = 0; j < s; ++j) {
                const Index row = place(i < j ? i : j), col = place(i < j ? j : i);
                e.a[Size{i} * e.ld + j] = t[row * ldt + col];
            }
        });
        symmetric_eigen(team, e);
        Index* const picks = indices + (x + p + w);
        pick(team, e, picks);
        const auto vector = [=](Index j) { return e.q + Size{e.order[picks[j]]} * e.ld; };

        const Index found = wanted < s ? wanted : s;
        const Index columns = wanted + active.count;
        team.for_each(x + p + w, [&](Index i) {
            for (Index j = 0; j < columns; ++j) c[i * columns + j] = 0;
        });
        team.for_each(s, [&](Index i) {
            for (Index j = 0; j < found; ++j) c[place(i) * columns + j] = vector(j)[i];
            if (i < found) values[i] = e.values[picks[i]];
        });
        const Index others = s - found;
        double* const own = basis + Size{others} * active.count;
        const Index rank = old_directions(
            team, others, [=](Index j, Index i) { return vector(found + j)[i]; }, own);
        team.for_each(s, [&](Index i) {
            for (Index r = 0; r < rank; ++r) {
                double sum = 0;
                for (Index j = 0; j < others; ++j) sum += vector(found + j)[i] * basis[j * active.count + r];
                c[place(i) * columns + wanted + r] = sum;
            }
        });
        team.for_each(columns, [&](Index i) {
            for (Index j = 0; j < columns; ++j) {
                double sum = i == j && i < found ? values[i] : 0;
                for (Index k = 0; i >= wanted && i < wanted + rank && j >= wanted && j < wanted + rank && k < others;
                     ++k) {
                    sum += basis[k * active.count + i - wanted] * e.values[picks[found + k]] *
                           basis[k * active.count + j - wanted];
                }
                t[i * ldt + j] = sum;
            }
            if (i == 0) ranks[0] = rank;
        });
    }

    /// The active columns of the old X in the basis of the eigenvectors that were not taken, orthonormalised by
    /// Gram-Schmidt, each twice. Returns how many are independent.
    template <class Team, class Vectors>
    constexpr Index old_directions(const Team& team, Index others, const Vectors& vectors, double* own) const {
        if (complement) {
            team.for_each(others, [&](Index j) {
                for (Index r = 0; r < active.count; ++r) basis[j * active.count + r] = j == r ? 1 : 0;
            });
            return others < active.count ? others : active.count;
        }
        constexpr double nothing = 1e-14;   // of a column that the new X contains but for rounding
        constexpr double dependent = 1e-6;  // left of a column by those before it
        const Index ld = active.count;
        double* const projections = own + others;
        const auto norm = [&] {
            double sum = 0;
            for (Index j = 0; j < others; ++j) sum += own[j] * own[j];
            return std::sqrt(sum);
        };
        const auto scale = [&](double factor) { team.for_each(others, [&](Index j) { own[j] *= factor; }); };
        Index rank = 0;
        for (Index a = 0; a < active.count && rank < others; ++a) {
            team.for_each(others, [&](Index j) { own[j] = vectors(j, active.column[a]); });
            double size = norm();
            if (!(size > nothing)) continue;
            scale(1 / size);
            for (int pass = 0; pass < 2; ++pass) {
                team.for_each(rank, [&](Index r) {
                    double sum = 0;
                    for (Index j = 0; j < others; ++j) sum += basis[j * ld + r] * own[j];
                    projections[r] = sum;
                });
                team.for_each(others, [&](Index j) {
                    for (Index r = 0; r < rank; ++r) own[j] -= basis[j * ld + r] * projections[r];
                });
                size = norm();
                if (!(size > dependent)) break;
                scale(1 / size);
            }
            if (!(size > dependent)) continue;
            team.for_each(others, [&](Index j) { basis[j * ld + rank] = own[j]; });
            ++rank;
        }
        return rank;
    }
};

void run_small(Cuda& backend, const OrthonormaliseProblem& problem);
void run_small(Cuda& backend, const RayleighRitzProblem& problem);

}  // namespace stiefel
