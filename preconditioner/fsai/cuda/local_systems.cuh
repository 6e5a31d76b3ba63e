#pragma once

#include "stiefel/core/cuda/reduce.cuh"
#include "stiefel/spmv/products/cuda/csr_view.cuh"

#include <type_traits>

namespace stiefel::fsai {

namespace {

/// A matrix, scaled to a unit diagonal.
struct ScaledView {
    cuda::CsrView<double> a;
    const double* inverse_roots;  ///< of its diagonal

    /// Of an entry of that row.
    __device__ double value(Size e, Index row) const {
        return inverse_roots[row] * inverse_roots[a.col_idx[e]] * a.values[e];
    }
};

/// Of a table of so many slots.
template <int slots>
__device__ int hash(Index col) {
    constexpr unsigned golden = 2654435769u;  // Knuth's multiplicative hash
    return static_cast<int>(__umulhi(static_cast<unsigned>(col) * golden, slots));
}

/// Lanes of a warp that work together, alone in a block or with others.
template <int lanes_, int in_block_ = 4 * warp_size / lanes_>
struct Team {
    static constexpr int lanes = lanes_, in_block = in_block_;
    static constexpr int threads = lanes * in_block;

    int number = static_cast<int>(threadIdx.x) / lanes;  ///< in the block
    int lane = static_cast<int>(threadIdx.x) % lanes;

    __device__ void sync() const { __syncwarp(mask()); }

    /// Of how many lanes it is so.
    __device__ Index count(bool is_so) const { return __popc(__ballot_sync(mask(), is_so)); }

    /// What that lane has.
    __device__ double from(int other, double value) const { return __shfl_sync(mask(), value, other, lanes); }

private:
    __device__ unsigned mask() const {
        constexpr unsigned own = lanes == warp_size ? all_lanes : (1u << lanes % warp_size) - 1;
        return own << (static_cast<int>(threadIdx.x) % warp_size - lane);
    }
};

/// Of `rows` rows, a lane has its own and those that lie as many further as there are lanes.
template <class Team, int rows>
inline constexpr int rows_of_lane = (rows + Team::lanes - 1) / Team::lanes;

/// Where each of at most `rows` columns stands among the others, at its hash, in shared memory.
template <int rows>
struct ColumnPlaces {
    static constexpr int slots = 4 * rows;
    static constexpr unsigned short empty = 0xffff;

    unsigned short of[slots];

    template <class Team>
    __device__ void clear(const Team& team) {
        for (int s = team.lane; s < slots; s += Team::lanes) of[s] = empty;
    }

    /// Of a column in cols, or -1.
    __device__ int find(const Index* cols, Index col) const {
        for (int s = hash<slots>(col);; s = s + 1 < slots ? s + 1 : 0) {
            const unsigned short p = of[s];
            if (p == empty) return -1;
            if (cols[p] == col) return p;
        }
    }

    __device__ void insert(const Index* cols, int p) {
        int s = hash<slots>(cols[p]);
        while (atomicCAS(of + s, empty, static_cast<unsigned short>(p)) != empty) s = s + 1 < slots ? s + 1 : 0;
    }
};

/// What a team works with, in shared memory: a system of at most `rows` rows.
template <int rows>
struct LocalSystem {
    double l[rows * (rows + 1) / 2];  ///< rows of L one behind the other
    union {
        double inverse[rows];       ///< of L's diagonal; then L' x
        ColumnPlaces<rows> places;  ///< before that
    };
    double x[rows];  ///< before there is one, D_JJ^-1/2
    Index cols[rows];
    int fails;

    __device__ double* row(int r) { return l + r * (r + 1) / 2; }
};

/// Goes on in ascending columns to that one, before `end`: the entry there, or 0.
__device__ inline double searched(const cuda::CsrView<double>& a, Size& e, Size end, Index col) {
    for (Size high = end; e < high;) {
        const Size middle = e + (high - e) / 2;
        if (a.col_idx[middle] < col) {
            e = middle + 1;
        } else {
            high = middle;
        }
    }
    return e < end && a.col_idx[e] == col ? a.values[e] : 0;
}

__device__ inline double walked_to(const cuda::CsrView<double>& a, Size& e, Size end, Index col) {
    while (e < end && a.col_idx[e] < col) ++e;
    return e < end && a.col_idx[e] == col ? a.values[e] : 0;
}

/// A row of S that is so much longer than J is searched for the columns of J.
constexpr int far_longer = 8;

/// S_JJ up to the diagonal, a lane a row: for few and short ones, which are walked beside J.
template <int lanes>
__device__ void gather_by_lanes(const Team<lanes>& team, const ScaledView& s, LocalSystem<lanes>& system, int order) {
    const int r = team.lane;
    if (r < order) {
        double* const own = system.row(r);
        const Index row = system.cols[r];
        const double root = s.inverse_roots[row];
        Size e = s.a.row_ptr[row];
        const Size end = s.a.row_ptr[Size{row} + 1];
        const bool is_long = end - e > Size{far_longer} * order;
        for (int q = 0; q < r; ++q) {
            const Index col = system.cols[q];
            const double value = is_long ? searched(s.a, e, end, col) : walked_to(s.a, e, end, col);
            own[q] = value == 0 ? 0 : root * s.inverse_roots[col] * value;
        }
        own[r] = 1;
    }
    team.sync();
}

/// The same, some lanes a row: they go through the row of S and look its columns up in J.
template <class Team, int rows>
__device__ void gather(const Team& team, const ScaledView& s, LocalSystem<rows>& system, int order) {
    constexpr int lanes_of_row = 4, at_once = Team::lanes / lanes_of_row;
    for (int e = team.lane; e < order * (order + 1) / 2; e += Team::lanes) system.l[e] = 0;
    system.places.clear(team);
    team.sync();
    for (int r = team.lane; r < order; r += Team::lanes) {
        system.x[r] = s.inverse_roots[system.cols[r]];
        system.row(r)[r] = 1;
        system.places.insert(system.cols, r);
    }
    team.sync();
    const int first = team.lane % lanes_of_row;
    struct Span {
        Size begin, end;
    };
    const auto span = [&](int q) {
        if (q >= order) return Span{0, 0};
        const Size row = system.cols[q];
        return Span{s.a.row_ptr[row], s.a.row_ptr[row + 1]};
    };
    int q = team.lane / lanes_of_row;
    Span next = span(q);  // on its way while the row before it is gone through
    for (; q < order; q += at_once) {
        auto [begin, end] = next;
        next = span(q + at_once);
        const Index row = system.cols[q];
        double* const to = system.row(q);
        const auto scaled = [&](int p, double value) { return system.x[q] * system.x[p] * value; };
        if (end - begin > Size{far_longer} * order) {
            for (int p = first; p < q; p += lanes_of_row) to[p] = scaled(p, searched(s.a, begin, end, system.cols[p]));
            continue;
        }
        const auto column = [&](Size e) { return e < end ? s.a.col_idx[e] : row; };
        Index next_col = column(begin + first);
        for (Size e = begin + first; next_col < row; e += lanes_of_row) {
            const Index col = next_col;
            next_col = column(e + lanes_of_row);
            const int p = system.places.find(system.cols, col);
            if (p >= 0) to[p] = scaled(p, s.a.values[e]);
        }
    }
    team.sync();
}

template <int lanes>
requires(lanes < warp_size) __device__
    void gather(const Team<lanes>& team, const ScaledView& s, LocalSystem<lanes>& system, int order) {
    gather_by_lanes(team, s, system, order);
}

/// S_JJ = L L', two columns at a time: what is loaded of a lane's row serves both, and what both take from their pivots
/// every lane computes by itself.
template <class Team, int rows>
__device__ void factor(const Team& team, LocalSystem<rows>& system, int order, double least_pivot) {
    constexpr int own_rows = rows_of_lane<Team, rows>;
    double* own[own_rows];  // where there is no such row, one that is not written
#pragma unroll
    for (int u = 0; u < own_rows; ++u) own[u] = system.row(min(team.lane + u * Team::lanes, rows - 1));
    for (int c = 0; c < order; c += 2) {
        const bool has_second = c + 1 < order;
        const double* const pivot = system.row(c);
        const double* const second_pivot = has_second ? system.row(c + 1) : pivot;
        double sum[own_rows], second[own_rows];
        const auto add_up = [&]<int first>(std::integral_constant<int, first>) {
#pragma unroll
            for (int u = first; u < own_rows; ++u) {
                const int r = team.lane + u * Team::lanes;
                sum[u] = r >= c && r < order ? own[u][c] : 0;  // not what is written below
                second[u] = r > c && r < order ? own[u][c + 1] : 0;
            }
            for (int k = 0; k < c; ++k) {
                const double of_pivot = pivot[k], of_second = second_pivot[k];
#pragma unroll
                for (int u = first; u < own_rows; ++u) {
                    sum[u] -= own[u][k] * of_pivot;
                    second[u] -= own[u][k] * of_second;
                }
            }
        };
        if (c < Team::lanes) {
            add_up(std::integral_constant<int, 0>());
        } else {
            add_up(std::integral_constant<int, own_rows - 1>());
        }
        const auto of_row = [&](int r, const double(&of_lane)[own_rows]) {
            return team.from(r % Team::lanes, own_rows > 1 && r >= Team::lanes ? of_lane[own_rows - 1] : of_lane[0]);
        };
        const auto inverse_root = [&](double of) {
            const bool is_positive = of > least_pivot;
            if (!is_positive) system.fails = 1;
            return is_positive ? rsqrt(of) : 1.0;
        };
        const double inverse = inverse_root(of_row(c, sum));
        double below = 0, second_inverse = 1;
        if (has_second) {
            below = of_row(c + 1, sum) * inverse;
            second_inverse = inverse_root(of_row(c + 1, second) - below * below);
        }
        if (team.lane == 0) {
            system.inverse[c] = inverse;
            if (has_second) system.inverse[c + 1] = second_inverse;
        }
#pragma unroll
        for (int u = 0; u < own_rows; ++u) {
            const int r = team.lane + u * Team::lanes;
            if (r < c || r >= order) continue;
            const double scaled = sum[u] * inverse;
            own[u][c] = scaled;
            if (r > c) own[u][c + 1] = (second[u] - scaled * below) * second_inverse;
        }
        team.sync();
    }
}

/// L'^-1 x in place of x, of which a lane has its own elements.
template <class Team, int rows>
__device__ void substitute(const Team& team, LocalSystem<rows>& system, int order,
                           double (&x)[rows_of_lane<Team, rows>]) {
    constexpr int own_rows = rows_of_lane<Team, rows>;
    for (int q = order - 1; q >= 0; --q) {
#pragma unroll
        for (int u = 0; u < own_rows; ++u) {
            if (team.lane + u * Team::lanes == q) system.x[q] = x[u] *= system.inverse[q];
        }
        team.sync();
#pragma unroll
        for (int u = 0; u < own_rows; ++u) {
            const int r = team.lane + u * Team::lanes;
            if (r < q) x[u] -= system.row(q)[r] * system.x[q];
        }
    }
}

/// x with L' x = (0, ..., 0, 1)'; the lane's own elements are returned.
template <class Team, int rows>
__device__ void solve(const Team& team, LocalSystem<rows>& system, int order, double (&x)[rows_of_lane<Team, rows>]) {
#pragma unroll
    for (int u = 0; u < rows_of_lane<Team, rows>; ++u) x[u] = team.lane + u * Team::lanes == order - 1 ? 1 : 0;
    substitute(team, system, order, x);
}

/// x without small elements, scaled so that x' S_JJ x = |L' x|^2 = 1.
template <class Team, int rows>
__device__ void drop_small(const Team& team, LocalSystem<rows>& system, int order, double drop,
                           double (&x)[rows_of_lane<Team, rows>]) {
    constexpr int own_rows = rows_of_lane<Team, rows>;
    const double limit = drop * system.x[order - 1];
    team.sync();
#pragma unroll
    for (int u = 0; u < own_rows; ++u) {
        const int r = team.lane + u * Team::lanes;
        if (r + 1 >= order) continue;
        if (!(abs(x[u]) > limit)) x[u] = 0;
        system.x[r] = x[u];
    }
    team.sync();
    for (int r = team.lane; r < order; r += Team::lanes) {
        double product = 0;
        for (int k = r; k < order; ++k) product += system.row(k)[r] * system.x[k];
        system.inverse[r] = product;
    }
    team.sync();
    double energy = 0;
    for (int k = 0; k < order; ++k) energy += system.inverse[k] * system.inverse[k];
    const double scale = 1 / sqrt(energy);
#pragma unroll
    for (int u = 0; u < own_rows; ++u) x[u] *= scale;
}

}  // namespace

}  // namespace stiefel::fsai
