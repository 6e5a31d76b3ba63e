#pragma once

#include "stiefel/spmv/products/cuda/row_lists.cuh"
#include "stiefel/spmv/products/cuda/row_tables.cuh"

// Rows that a team of S lanes builds in a table in shared memory. L lanes take an entry of the left matrix together, so
// S / L entries are under way; with S = L the columns that meet differ, and nothing need be put in order.

namespace stiefel::cuda {

inline constexpr int short_row_threads = 128;

/// S neighbouring lanes of a warp.
template <int S>
struct Team {
    int lane = static_cast<int>(threadIdx.x) % S;
    int number = static_cast<int>(threadIdx.x) / S;  ///< in the block
    int shift = static_cast<int>(threadIdx.x) % warp_size / S * S;
    unsigned lanes = S == warp_size ? all_lanes : ((1u << (S % warp_size)) - 1) << shift;

    static constexpr int in_block = short_row_threads / S;

    /// Which lanes of the team, from bit 0.
    __device__ unsigned ballot(bool value) const { return (__ballot_sync(lanes, value) & lanes) >> shift; }
    __device__ int sum(int value) const {
        for (int step = S / 2; step > 0; step /= 2) value += __shfl_xor_sync(lanes, value, step);
        return value;
    }
    __device__ void meet() const { __syncwarp(lanes); }
};

/// The rows of a list, shared out among the teams of a grid.
template <int S, class F>
__device__ void for_listed_rows(const RowLists& lists, int l, const Team<S>& team, F&& f) {
    const unsigned n = lists.count[l];
    for (unsigned at = blockIdx.x * Team<S>::in_block + static_cast<unsigned>(team.number); at < n;
         at += gridDim.x * Team<S>::in_block) {
        f(lists.list(l)[at]);
    }
}

/// length[i] = columns of row i; what does not fit goes to the next list.
template <int S, int L, class Pattern>
__global__ void __launch_bounds__(short_row_threads)
    count_short_rows_kernel(Pattern pattern, RowLists lists, int l, int table_size, Index* length) {
    extern __shared__ Index keys_of_block[];
    const Team<S> team;
    const HashPlaces places{keys_of_block + team.number * table_size, table_size};
    for_listed_rows(lists, l, team, [&](Index i) {
        places.clear(team.lane, S);
        team.meet();
        int found = 0;
        bool is_full = false;
        for (Size k = pattern.begin(i) + team.lane / L; k < pattern.end(i); k += S / L) {
            const auto terms = pattern.terms(i, k);
            for (Size t = terms.first + team.lane % L; t < terms.last && !is_full; t += L) {
                bool is_new = false;
                is_full = places.find(pattern.col(t), is_new) < 0;
                found += is_new;
            }
        }
        found = team.sum(found);
        const bool fits = team.ballot(is_full) == 0;
        if (team.lane == 0) {
            if (fits) {
                length[i] = found;
            } else {
                lists.push(l + 1, i);
            }
        }
    });
}

/// Moves what a team's table holds to its beginning, and returns how many that are.
template <int S, class T>
__device__ int compact(const Team<S>& team, const HashPlaces& places, T* values) {
    int n = 0;
    for (int base = 0; base < places.size; base += S) {
        const int place = base + team.lane;
        const Index key = place < places.size ? places.keys[place] : no_column;
        const T value = key != no_column ? values[place] : T{0};
        const unsigned held = team.ballot(key != no_column);
        team.meet();
        if (key != no_column) {
            const int to = n + __popc(held & ((1u << team.lane) - 1));
            places.keys[to] = key;
            values[to] = value;
        }
        n += __popc(held);
    }
    team.meet();
    return n;
}

/// Writes row i, columns ascending, each at the place that the number of smaller ones gives it.
template <int S, class T, class Out>
__device__ void write_short_row(const Team<S>& team, const Index* keys, const T* values, int n, const Out& out,
                                Size first) {
    for (int e = team.lane; e < n; e += S) {
        const Index key = keys[e];
        int before = 0;
        for (int other = 0; other < n; ++other) before += keys[other] < key;
        out.col_idx[first + before] = key;
        out.values[first + before] = values[e];
    }
    team.meet();
}

template <int S, int L, class Rows, class Out>
__global__ void __launch_bounds__(short_row_threads)
    fill_short_rows_kernel(Rows rows, RowLists lists, int l, int table_size, Out out) {
    using T = typename Rows::value_type;
    extern __shared__ double room_of_block[];
    const Team<S> team;
    T* const values = reinterpret_cast<T*>(room_of_block) + team.number * table_size;
    Index* const keys = reinterpret_cast<Index*>(reinterpret_cast<T*>(room_of_block) + Team<S>::in_block * table_size);
    const HashPlaces places{keys + team.number * table_size, table_size};
    for_listed_rows(lists, l, team, [&](Index i) {
        places.clear(team.lane, S);
        team.meet();
        const Size end = rows.end(i);
        for (Size base = rows.begin(i); base < end; base += S / L) {
            const Size k = base + team.lane / L;
            const bool inside = k < end;
            const auto terms = inside ? rows.terms(i, k) : decltype(rows.terms(i, k)){};
            const T factor = inside ? rows.factor(i, k) : T{0};
            for (Size t = terms.first + team.lane % L; team.ballot(t < terms.last) != 0; t += L) {
                bool is_new = false;
                const bool adds = t < terms.last;
                const int place = adds ? places.find(rows.col(t), is_new) : -1;
                if (is_new) values[place] = T{0};
                const T value = adds ? factor * rows.value(t) : T{0};
                if constexpr (S == L) {
                    if (adds) values[place] += value;  // a place of its own for every lane
                    team.meet();
                } else {
                    team.meet();
                    add_in_order(team.lanes, place, value, values);
                }
            }
        }
        const int n = compact(team, places, values);
        write_short_row(team, places.keys, values, n, out, out.row_ptr[i]);
    });
}

}  // namespace stiefel::cuda
