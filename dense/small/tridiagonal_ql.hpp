#pragma once

#include "stiefel/dense/small/team.hpp"

#include <cmath>
#include <limits>

namespace stiefel {

// The symmetric eigenproblem for a team: Householder tridiagonalisation and implicit QL, the method of Bowdler, Martin,
// Reinsch and Wilkinson 1968 (EISPACK's tred2 and imtql2). Cyclic Jacobi is simpler and finer-grained, but with
// vectors it takes about ten times the work, and on one block the rounds of a sweep wait for each other as the steps of
// this method do. Q is kept as its transpose: a rotation then combines two rows, column by column.

/// Memory of the problem of n rows. ld = round_up_to_lanes(n).
struct SmallEigen {
    Index n = 0;
    Index ld = 0;
    double* a = nullptr;       ///< n x ld, row-major: A, of which padding is overwritten; destroyed
    double* q = nullptr;       ///< n x ld: eigenvectors as rows
    double* values = nullptr;  ///< ld: eigenvalues, ascending
    double* d = nullptr;       ///< ld: diagonal of the tridiagonal matrix, then eigenvalues in the order of q's rows
    double* e = nullptr;       ///< ld: its off-diagonal
    double* v = nullptr;       ///< ld
    double* p = nullptr;       ///< ld
    Index* order = nullptr;    ///< n: eigenvalue j belongs to row order[j] of q

    /// Doubles that the arrays of doubles take together.
    static constexpr Size doubles(Index n) { return Size{round_up_to_lanes(n)} * (2 * Size{n} + 5); }

    /// The arrays one after the other in doubles(n) doubles.
    static constexpr SmallEigen in(Index n, double* memory, Index* order) {
        const Index ld = round_up_to_lanes(n);
        double* const vectors = memory + 2 * Size{n} * ld;
        return {n,
                ld,
                memory,
                memory + Size{n} * ld,
                vectors,
                vectors + ld,
                vectors + 2 * ld,
                vectors + 3 * ld,
                vectors + 4 * ld,
                order};
    }
};

namespace detail {

struct Reflector {
    double tau = 0;    ///< H = I - tau v v', v(first) = 1
    double alpha = 0;  ///< first element of what H is applied to
    double beta = 0;   ///< and of the result, whose others are 0
};

/// The reflector that makes elements first + 1 .. n - 1 of a row zero.
constexpr Reflector reflector_of(const double* row, Index first, Index n) {
    double below = 0;
    for (Index i = first + 1; i < n; ++i) below += row[i] * row[i];
    const double alpha = row[first];
    if (below == 0) return {0, alpha, alpha};
    const double norm = std::sqrt(alpha * alpha + below);
    const double beta = alpha > 0 ? -norm : norm;
    return {(beta - alpha) / beta, alpha, beta};
}

/// One step of the reduction: A := H A H, Q := Q H, where H makes row k tridiagonal.
template <class Team>
constexpr void tridiagonalise_row(const Team& team, const SmallEigen& w, Index k) {
    constexpr Index lanes = Team::lanes;
    const Index n = w.n, ld = w.ld, first = k + 1;
    const Reflector h = reflector_of(w.a + Size{k} * ld, first, n);
    team.for_each(ld, [&](Index i) {
        w.v[i] = i <= k || i >= n ? 0 : i == first ? 1 : h.tau == 0 ? 0 : w.a[Size{k} * ld + i] / (h.alpha - h.beta);
        if (i == 0) {
            w.d[k] = w.a[Size{k} * ld + k];
            w.e[k] = h.beta;
        }
    });
    if (h.tau == 0) return;
    for_each_columns(team, n, [&](Index column) {  // p = tau A v, Q -= tau (Q v) v'
        double of_a[lanes] = {}, of_q[lanes] = {};
        for (Index j = first; j < n; ++j) {
            for (Index l = 0; l < lanes; ++l) {
                of_a[l] += w.a[Size{j} * ld + column + l] * w.v[j];
                of_q[l] += w.q[Size{j} * ld + column + l] * w.v[j];
            }
        }
        for (Index l = 0; l < lanes; ++l) w.p[column + l] = h.tau * of_a[l];
        for (Index j = first; j < n; ++j) {
            for (Index l = 0; l < lanes; ++l) w.q[Size{j} * ld + column + l] -= h.tau * of_q[l] * w.v[j];
        }
    });
    double p_v = 0;
    for (Index i = first; i < n; ++i) p_v += w.p[i] * w.v[i];
    const double half = h.tau * p_v / 2;
    for_each_columns(team, n, [&](Index column) {  // A -= v w' + w v',  w = p - half v
        double own_v[lanes] = {}, own_w[lanes] = {};
        for (Index l = 0; l < lanes; ++l) {
            own_v[l] = w.v[column + l];
            own_w[l] = w.p[column + l] - half * own_v[l];
        }
        for (Index j = first; j < n; ++j) {
            const double row_v = w.v[j], row_w = w.p[j] - half * row_v;
            for (Index l = 0; l < lanes; ++l) {
                w.a[Size{j} * ld + column + l] -= row_v * own_w[l] + row_w * own_v[l];
            }
        }
    });
}

/// One implicit QL sweep with a Wilkinson shift over rows first .. last of the tridiagonal matrix; rotation i of rows
/// i and i + 1 is left in (v[i], p[i]). Returns the lowest i whose rotation is to be applied. For one thread.
constexpr Index ql_sweep(const SmallEigen& w, Index first, Index last) {
    double* const d = w.d;
    double* const e = w.e;
    const double ratio = (d[first + 1] - d[first]) / (2 * e[first]);
    const double root = std::sqrt(ratio * ratio + 1);
    double g = d[last] - d[first] + e[first] / (ratio + (ratio < 0 ? -root : root));
    double s = 1, c = 1, shift = 0;
    for (Index i = last - 1; i >= first; --i) {
        const double f = s * e[i];
        const double b = c * e[i];
        const double r = std::sqrt(f * f + g * g);
        e[i + 1] = r;
        if (r == 0) {  // the matrix splits here
            d[i + 1] -= shift;
            e[last] = 0;
            return i + 1;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - shift;
        const double t = (d[i] - g) * s + 2 * c * b;
        shift = s * t;
        d[i + 1] = g + shift;
        g = c * t - b;
        w.v[i] = c;
        w.p[i] = s;
    }
    d[first] -= shift;
    e[first] = g;
    e[last] = 0;
    return first;
}

/// The rotations of a sweep, from row last down, on all columns of Q'.
template <class Team>
constexpr void rotate_rows(const Team& team, const SmallEigen& w, Index lowest, Index last) {
    constexpr Index lanes = Team::lanes;
    for_each_columns(team, w.n, [&](Index column) {
        double upper[lanes] = {};
        for (Index l = 0; l < lanes; ++l) upper[l] = w.q[Size{last} * w.ld + column + l];
        for (Index i = last - 1; i >= lowest; --i) {
            const double c = w.v[i], s = w.p[i];
            double* const row = w.q + Size{i} * w.ld + column;
            for (Index l = 0; l < lanes; ++l) {
                const double lower = row[l];
                row[w.ld + l] = s * lower + c * upper[l];
                upper[l] = c * lower - s * upper[l];
            }
        }
        for (Index l = 0; l < lanes; ++l) w.q[Size{lowest} * w.ld + column + l] = upper[l];
    });
}

/// Eigenvalues of the tridiagonal matrix into d, Q' := R' Q' with the rotations R that make it diagonal.
template <class Team>
constexpr void diagonalise(const Team& team, const SmallEigen& w) {
    constexpr double eps = std::numeric_limits<double>::epsilon();
    constexpr int most_sweeps = 60;  // two are usual
    for (Index first = 0; first < w.n; ++first) {
        for (int sweep = 0; sweep < most_sweeps; ++sweep) {
            Index last = first;
            while (last < w.n - 1 && std::abs(w.e[last]) > eps * (std::abs(w.d[last]) + std::abs(w.d[last + 1]))) {
                ++last;
            }
            if (last == first) break;
            team.for_each(1, [&](Index) { w.order[0] = ql_sweep(w, first, last); });
            const Index lowest = w.order[0];
            rotate_rows(team, w, lowest, last);
        }
    }
}

}  // namespace detail

/// All eigenvalues and eigenvectors of w.a. A matrix with a NaN or infinity gives NaN for all of them. Deterministic,
/// though not the same to the bit for all teams. About 10 n^3 flops.
template <class Team>
constexpr void symmetric_eigen(const Team& team, const SmallEigen& w) {
    const Index n = w.n, ld = w.ld;
    team.for_each(n, [&](Index i) {
        double largest = 0;  // a NaN or infinity must not get lost in a maximum
        double probe = 0;
        for (Index j = 0; j < n; ++j) {
            const double size = std::abs(w.a[Size{i} * ld + j]);
            if (size > largest) largest = size;
            probe += 0 * size;
        }
        w.v[i] = largest + probe;
    });
    double largest = 0;
    bool finite = true;
    for (Index i = 0; i < n; ++i) {
        finite = finite && w.v[i] == w.v[i];
        if (w.v[i] > largest) largest = w.v[i];
    }
    // Squares must neither overflow nor vanish.
    const double scale = largest > 1e100 || (largest < 1e-100 && largest > 0) ? largest : 1;
    team.for_each(n, [&](Index i) {
        for (Index j = 0; j < ld; ++j) {
            double& element = w.a[Size{i} * ld + j];
            element = j < n ? element / scale : 0;
            w.q[Size{i} * ld + j] = i == j ? 1 : 0;
        }
    });
    if (finite) {
        for (Index k = 0; k + 2 < n; ++k) detail::tridiagonalise_row(team, w, k);
        team.for_each(n, [&](Index i) {
            if (i + 2 >= n) {
                w.d[i] = w.a[Size{i} * ld + i];
                w.e[i] = i + 1 < n ? w.a[Size{i} * ld + i + 1] : 0;
            }
        });
        detail::diagonalise(team, w);
    }
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    team.for_each(n, [&](Index i) {
        Index place = finite ? 0 : i;
        for (Index j = 0; finite && j < n; ++j) {
            if (w.d[j] < w.d[i] || (w.d[j] == w.d[i] && j < i)) ++place;
        }
        w.order[place] = i;
        w.values[place] = finite ? scale * w.d[i] : nan;
        for (Index j = 0; !finite && j < n; ++j) w.q[Size{i} * ld + j] = nan;
    });
}

}  // namespace stiefel
