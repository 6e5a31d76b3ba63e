#pragma once

#include "stiefel/spmv/products/cuda/row_lists.cuh"
#include "stiefel/spmv/products/cuda/row_tables.cuh"

#include <limits>

// Rows that a team of S lanes builds in a table in shared memory. L lanes take an entry of the left matrix together, so
// S / L entries are under way; with S = L the columns that meet differ, and nothing need be put in order. The teams of
// a warp stay together, whatever the lengths of their rows: teams that went each their way would be run one by one.

namespace stiefel::cuda {

inline constexpr int short_row_threads = 128;

/// S neighbouring lanes of a warp.
template <int S>
struct Team {
    static constexpr int in_block = short_row_threads / S;
    static constexpr int in_warp = warp_size / S;

    int lane = static_cast<int>(threadIdx.x) % S;
    int number = static_cast<int>(threadIdx.x) / S;  ///< in the block

    /// Which of its lanes, from bit 0. All lanes of the warp ask.
    __device__ unsigned ballot(bool value) const {
        const unsigned of_warp = __ballot_sync(all_lanes, value);
        if constexpr (S == warp_size) return of_warp;
        return of_warp >> (number % in_warp * S) & ((1u << (S % warp_size)) - 1);
    }
    __device__ int sum(int value) const {
        for (int step = S / 2; step > 0; step /= 2) value += __shfl_xor_sync(all_lanes, value, step);
        return value;
    }
};

/// f(i, is_row) for the rows of a list, shared out among the teams of a grid; is_row is false for the teams of a warp
/// that have none any more.
template <int S, class F>
__device__ void for_listed_rows(const RowLists& lists, int l, const Team<S>& team, F&& f) {
    const unsigned n = lists.count[l];
    const auto of_warp = static_cast<unsigned>(team.number % Team<S>::in_warp);
    for (unsigned first = blockIdx.x * Team<S>::in_block + static_cast<unsigned>(team.number) - of_warp; first < n;
         first += gridDim.x * Team<S>::in_block) {
        const bool is_row = first + of_warp < n;
        f(is_row ? lists.list(l)[first + of_warp] : Index{0}, is_row);
    }
}

/// Runs step(terms, factor) for the entries of row i in their order, S / L at a time: each lane fetches an entry, so
/// that a team waits for memory once in S entries, and all learn of those that are under way.
template <int S, int L, class Rows, class Step>
__device__ void for_entries(const Team<S>& team, const Rows& rows, Index i, bool is_row, Step&& step) {
    constexpr int together = S / L;
    const auto begin = is_row ? rows.begin(i) : 0;
    const auto length = is_row ? static_cast<int>(rows.end(i) - begin) : 0;
    const auto longest = static_cast<int>(__reduce_max_sync(all_lanes, static_cast<unsigned>(length)));
    for (int done = 0; done < longest; done += S) {
        auto own = rows.no_terms();
        typename Rows::factor_type own_factor{};
        if (done + team.lane < length) {
            own = rows.terms(i, begin + done + team.lane);
            own_factor = rows.factor(i, begin + done + team.lane);
        }
        const int n = min(longest - done, S);
        for (int q = 0; q < n; q += together) {
            const int from = q + team.lane / L;
            auto terms = own;
            terms.first = __shfl_sync(all_lanes, own.first, from, S);
            terms.last = __shfl_sync(all_lanes, own.last, from, S);
            step(terms, __shfl_sync(all_lanes, own_factor, from, S));
        }
    }
}

/// length[i] = columns of row i; what does not fit goes to the next list.
template <int S, int L, class Pattern>
__global__ void __launch_bounds__(short_row_threads)
    count_short_rows_kernel(Pattern pattern, RowLists lists, int l, int table_size, Index* length) {
    extern __shared__ Index keys_of_block[];
    const Team<S> team;
    const HashPlaces places{keys_of_block + team.number * table_size, table_size};
    for_listed_rows(lists, l, team, [&](Index i, bool is_row) {
        places.clear(team.lane, S);
        __syncwarp();
        int found = 0;
        bool is_full = false;
        for_entries<S, L>(team, pattern, i, is_row, [&](const auto& terms, auto) {
            for (auto t = terms.first + team.lane % L; t < terms.last && !is_full; t += L) {
                bool is_new = false;
                is_full = places.find(pattern.col(t), is_new) < 0;
                found += is_new;
            }
        });
        found = team.sum(found);
        const bool fits = team.ballot(is_full) == 0;
        if (is_row && team.lane == 0) {
            if (fits) {
                length[i] = found;
            } else {
                lists.push(l + 1, i);
            }
        }
    });
}

/// A row while it is added up: sums by place, and the columns in the order in which they came. In shared memory.
template <class T>
struct ShortRow {
    T* sums;
    HashPlaces places;
    Index* cols;
    unsigned short* place_of;  ///< of the columns

    /// The most columns for a table of that size: places are found fast while a quarter is free.
    static constexpr int most(int table_size) { return table_size / 4 * 3; }
    static constexpr int bytes(int table_size) {
        const int of_columns = most(table_size) * static_cast<int>(sizeof(Index) + sizeof(unsigned short));
        return table_size * static_cast<int>(sizeof(T) + sizeof(Index)) + (of_columns + 15) / 16 * 16;
    }

    __device__ ShortRow(char* room, int table_size)
        : sums(reinterpret_cast<T*>(room)),
          places{reinterpret_cast<Index*>(sums + table_size), table_size},
          cols(places.keys + table_size),
          place_of(reinterpret_cast<unsigned short*>(cols + most(table_size))) {}

    /// Writes the n columns ascending, each at the place that the number of smaller ones gives it.
    template <int S, class Out>
    __device__ void write(const Team<S>& team, int n, const Out& out, Size first) const {
        const int n_packs = (n + 3) / 4;
        for (int e = n + team.lane; e < 4 * n_packs; e += S) cols[e] = std::numeric_limits<Index>::max();
        __syncwarp();
        const int4* const packs = reinterpret_cast<const int4*>(cols);
        for (int e = team.lane; e < n; e += S) {
            const Index col = cols[e];
            int before = 0;
            for (int p = 0; p < n_packs; ++p) {
                const int4 other = packs[p];
                before += (other.x < col) + (other.y < col) + (other.z < col) + (other.w < col);
            }
            out.col_idx[first + before] = col;
            out.values[first + before] = sums[place_of[e]];
        }
        __syncwarp();
    }
};

template <int S, int L, class Rows, class Out>
__global__ void __launch_bounds__(short_row_threads)
    fill_short_rows_kernel(Rows rows, RowLists lists, int l, int table_size, Out out) {
    using T = typename Rows::value_type;
    extern __shared__ int4 room_of_block[];
    const Team<S> team;
    const ShortRow<T> row(reinterpret_cast<char*>(room_of_block) + team.number * ShortRow<T>::bytes(table_size),
                          table_size);
    for_listed_rows(lists, l, team, [&](Index i, bool is_row) {
        row.places.clear(team.lane, S);
        __syncwarp();
        int n = 0;
        for_entries<S, L>(team, rows, i, is_row, [&](const auto& terms, auto factor) {
            auto t = terms.first + team.lane % L;
            do {
                const bool adds = t < terms.last;
                bool is_new = false;
                const Index col = adds ? rows.col(t) : no_column;
                const T value = adds ? rows.product(factor, t) : T{};
                const int place = adds ? row.places.find(col, is_new) : -1;
                const unsigned new_ones = team.ballot(is_new);
                if (is_new) {
                    const int e = n + __popc(new_ones & ((1u << team.lane) - 1));
                    row.cols[e] = col;
                    row.place_of[e] = static_cast<unsigned short>(place);
                }
                n += __popc(new_ones);
                if constexpr (S == L) {  // a place of its own for every lane
                    if (adds) row.sums[place] = is_new ? value : row.sums[place] + value;
                    __syncwarp();
                } else {
                    if (is_new) row.sums[place] = T{};
                    __syncwarp();
                    add_in_order(adds ? team.number * table_size + place : -1, value, row.sums + place);
                }
                t += L;
            } while (__any_sync(all_lanes, t < terms.last));
        });
        row.write(team, n, out, is_row ? out.row_ptr[i] : 0);
    });
}

}  // namespace stiefel::cuda
