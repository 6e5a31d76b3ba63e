#pragma once

#include "stiefel/preconditioner/fsai/cuda/local_systems.cuh"
#include "stiefel/preconditioner/fsai/options.hpp"

#include <type_traits>

// A row of G as it grows, in shared memory: a warp takes the columns of a step side by side.

namespace stiefel::fsai {

namespace {

/// Columns in the order in which they were taken, the row's own first, with S_JJ = L L' over them.
struct GrowingRow {
    static constexpr int rows = Options::longest_row, at_once = Options::columns_a_step;
    static constexpr int pairs = at_once * (at_once + 1) / 2;
    static_assert(pairs + at_once <= warp_size);
    using Team = fsai::Team<warp_size, 1>;

    LocalSystem<rows> system;  ///< its x: the row up to its scaling, at the least energy
    ColumnPlaces<rows> places;
    double forward[rows];          ///< L^-1 (1, 0, ..., 0)'
    double roots[rows];            ///< s.inverse_roots of the columns
    double sums[pairs + at_once];  ///< of a step's columns, see take()
    int order;

    /// The place of a column that has been taken, or -1.
    __device__ int place(Index col) const { return places.find(system.cols, col); }

    __device__ void begin(const Team& team, const ScaledView& s, Index i) {
        if (team.lane == 0) {
            system.cols[0] = i;
            system.inverse[0] = system.x[0] = forward[0] = 1;
            roots[0] = s.inverse_roots[i];
            order = 1;
        }
        team.sync();
        find_places(team);
    }

    /// The `count` columns that stand behind those taken, unless the system would not be definite: then those of them
    /// that one after another leave it so. Whether there is one.
    __device__ bool take(const Team& team, const ScaledView& s, int count, double least_pivot) {
        if (take_all(team, s, count, least_pivot)) return true;
        const int before = order;
        const Index own = team.lane < count ? system.cols[before + team.lane] : 0;
        for (int c = 0; c < count; ++c) {
            find_places(team);
            if (team.lane == c) system.cols[order] = own;
            team.sync();
            take_all(team, s, 1, least_pivot);
        }
        find_places(team);
        return order > before;
    }

    /// The least energy of a row with these columns whose own entry is 1; what it is taken at is left in system.x.
    __device__ double minimise(const Team& team) {
        double x[rows_of_lane<Team, rows>];
#pragma unroll
        for (int u = 0; u < rows_of_lane<Team, rows>; ++u) {
            const int k = team.lane + u * Team::lanes;
            x[u] = k < order ? forward[k] : 0;
        }
        substitute(team, system, order, x);
        return 1 / system.x[0];
    }

private:
    __device__ static constexpr int pair(int c, int d) {
        return c * (c + 1) / 2 + d;
    }

    /// Of the columns that have been taken, and no others.
    __device__ void find_places(const Team& team) {
        places.clear(team);
        team.sync();
        for (int k = team.lane; k < order; k += Team::lanes) places.insert(system.cols, k);
        team.sync();
    }

    __device__ bool take_all(const Team& team, const ScaledView& s, int count, double least_pivot) {
        gather(team, s, count);
        eliminate(team, count);
        sum_up(team, count);
        return factor(team, count, least_pivot);
    }

    /// Rows of S of the new columns, up to each one's own, in place of those of L.
    __device__ void gather(const Team& team, const ScaledView& s, int count) {
        constexpr int lanes_of_row = 4, ahead = 4;
        static_assert(at_once * lanes_of_row <= Team::lanes);
        for (int e = pair(order, 0) + team.lane; e < pair(order + count, 0); e += Team::lanes) system.l[e] = 0;
        if (team.lane < count) {
            places.insert(system.cols, order + team.lane);
            roots[order + team.lane] = s.inverse_roots[system.cols[order + team.lane]];
        }
        team.sync();
        const int q = order + team.lane / lanes_of_row, first = team.lane % lanes_of_row;
        if (q < order + count) {
            const Index row = system.cols[q];
            double* const to = system.row(q);
            const Size begin = s.a.row_ptr[row], end = s.a.row_ptr[Size{row} + 1];
            const auto put = [&](int p, double value) { to[p] = roots[q] * roots[p] * value; };
            if (end - begin > Size{far_longer} * rows) {
                for (int p = first; p < q; p += lanes_of_row) {
                    Size e = begin;
                    put(p, searched(s.a, e, end, system.cols[p]));
                }
            } else {
                for (Size e = begin + first; e < end; e += ahead * lanes_of_row) {
                    Index col[ahead];  // all are on their way before the first is looked up
                    double value[ahead];
#pragma unroll
                    for (int u = 0; u < ahead; ++u) {
                        const Size own = e + u * lanes_of_row;
                        col[u] = own < end ? s.a.col_idx[own] : -1;
                        value[u] = own < end ? s.a.values[own] : 0;
                    }
#pragma unroll
                    for (int u = 0; u < ahead; ++u) {
                        const int p = col[u] >= 0 ? place(col[u]) : -1;
                        if (p >= 0 && p < q) put(p, value[u]);
                    }
                }
            }
        }
        team.sync();
    }

    /// What the new rows of L have in the columns before: w with L w = row of S. A lane has elements of all of them.
    __device__ void eliminate(const Team& team, int count) {
        constexpr int own_rows = rows_of_lane<Team, rows>;
        double w[at_once][own_rows];
        const double* own[own_rows];
#pragma unroll
        for (int u = 0; u < own_rows; ++u) {
            const int p = team.lane + u * Team::lanes;
            own[u] = system.row(min(p, rows - 1));
#pragma unroll
            for (int c = 0; c < at_once; ++c) w[c][u] = c < count && p < order ? system.row(order + c)[p] : 0;
        }
        const auto go_through = [&]<int of>(std::integral_constant<int, of>) {  // columns that are lanes' of-th
            const int end = min(order, (of + 1) * Team::lanes);
            for (int k = of * Team::lanes; k < end; ++k) {
                const double inverse = system.inverse[k];
                double l[own_rows];
#pragma unroll
                for (int u = of; u < own_rows; ++u) {
                    const int p = team.lane + u * Team::lanes;
                    l[u] = p > k && p < order ? own[u][k] : 0;
                }
#pragma unroll
                for (int c = 0; c < at_once; ++c) {
                    const double value = team.from(k - of * Team::lanes, w[c][of]) * inverse;
                    if (team.lane + of * Team::lanes == k) w[c][of] = value;
#pragma unroll
                    for (int u = of; u < own_rows; ++u) w[c][u] -= l[u] * value;
                }
            }
        };
        go_through(std::integral_constant<int, 0>());
        go_through(std::integral_constant<int, own_rows - 1>());
        team.sync();
#pragma unroll
        for (int u = 0; u < own_rows; ++u) {
            const int p = team.lane + u * Team::lanes;
#pragma unroll
            for (int c = 0; c < at_once; ++c) {
                if (c < count && p < order) system.row(order + c)[p] = w[c][u];
            }
        }
        team.sync();
    }

    /// A lane each: S among the new columns less what is eliminated, and what `forward` of them is found from. The
    /// identity where there is no such column.
    __device__ void sum_up(const Team& team, int count) {
        int c = 0, d = team.lane;
        while (c < at_once && d > c) d -= ++c;
        if (c == at_once) c = d;  // behind the pairs
        if (team.lane < pairs + at_once) {
            const bool is_forward = team.lane >= pairs;
            double sum = !is_forward && c == d ? 1 : 0;
            if (c < count) {
                const double* const one = system.row(order + c);
                const double* const other = is_forward ? forward : system.row(order + d);
                if (!is_forward && d < c) sum = one[order + d];
                for (int k = 0; k < order; ++k) sum -= one[k] * other[k];
            }
            sums[team.lane] = sum;
        }
        team.sync();
    }

    /// What the new rows of L have in the new columns; false, and nothing taken, where a pivot is too small. Every lane
    /// computes all of it.
    __device__ bool factor(const Team& team, int count, double least_pivot) {
        double l[pairs], of_forward[at_once], inverse[at_once];
#pragma unroll
        for (int e = 0; e < pairs; ++e) l[e] = sums[e];
#pragma unroll
        for (int c = 0; c < at_once; ++c) of_forward[c] = sums[pairs + c];
        bool is_definite = true;
#pragma unroll
        for (int c = 0; c < at_once; ++c) {
            double pivot = l[pair(c, c)];
#pragma unroll
            for (int d = 0; d < c; ++d) {
#pragma unroll
                for (int k = 0; k < d; ++k) l[pair(c, d)] -= l[pair(c, k)] * l[pair(d, k)];
                l[pair(c, d)] *= inverse[d];
                pivot -= l[pair(c, d)] * l[pair(c, d)];
                of_forward[c] -= l[pair(c, d)] * of_forward[d];
            }
            is_definite = is_definite && pivot > least_pivot;
            inverse[c] = rsqrt(pivot);
            of_forward[c] *= inverse[c];
        }
        if (!is_definite) return false;
        if (team.lane == 0) {
#pragma unroll
            for (int c = 0; c < at_once; ++c) {
                if (c >= count) continue;
#pragma unroll
                for (int d = 0; d < c; ++d) system.row(order + c)[order + d] = l[pair(c, d)];
                system.inverse[order + c] = inverse[c];
                forward[order + c] = of_forward[c];
            }
        }
        team.sync();
        if (team.lane == 0) order += count;
        team.sync();
        return true;
    }
};

}  // namespace

}  // namespace stiefel::fsai
