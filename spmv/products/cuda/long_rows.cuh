#pragma once

#include "stiefel/spmv/cuda/block_scan.cuh"
#include "stiefel/spmv/cuda/sort_rows.cuh"
#include "stiefel/spmv/products/cuda/row_lists.cuh"
#include "stiefel/spmv/products/cuda/row_tables.cuh"

// Rows that take a block each, in a large table in shared memory or with a place for every column in device memory.

namespace stiefel::cuda {

inline constexpr int long_row_threads = 256;

/// In the number of columns that a table of shared memory is counted with, and filled with: less than 96 KiB.
inline constexpr int counting_table = 1 << 14;
template <class T>
inline constexpr int filling_table = sizeof(T) <= 8    ? 1 << 12
                                     : sizeof(T) <= 32 ? 1 << 11
                                                       : 1 << 10;

/// The scratch of a block: places, and values where sums are taken.
template <class T>
struct LongRowRoom {
    unsigned* bits = nullptr;  ///< n_cols / 32 + 1 words for each block
    T* values = nullptr;       ///< n_cols for each block
    Index n_cols = 0;

    __device__ DensePlaces places() const {
        const DensePlaces own{bits, n_cols};
        return {bits + Size{blockIdx.x} * own.n_words(), n_cols};
    }
    __device__ T* sums() const { return values + Size{blockIdx.x} * n_cols; }
};

/// f(i) for the rows of a list, a block each.
template <class F>
__device__ void for_listed_rows(const RowLists& lists, int l, F&& f) {
    for (unsigned at = blockIdx.x; at < lists.count[l]; at += gridDim.x) f(lists.list(l)[at]);
}

/// The columns of row i in `places`, or -1 if there is no room for them.
template <int L, class Pattern, class Places>
__device__ int count_long_row(const Pattern& pattern, Index i, const Places& places) {
    const int own = static_cast<int>(threadIdx.x);
    constexpr int groups = long_row_threads / L;
    places.clear(own, long_row_threads);
    __syncthreads();
    int found = 0;
    bool is_full = false;
    const auto end = pattern.end(i);
    for (auto k = pattern.begin(i) + own / L; k < end; k += groups) {
        const auto terms = pattern.terms(i, k);
        for (auto t = terms.first + own % L; t < terms.last && !is_full; t += L) {
            bool is_new = false;
            is_full = places.find(pattern.col(t), is_new) < 0;
            found += is_new;
        }
    }
    is_full = __syncthreads_or(is_full) != 0;
    const Size sum = block_scan(found);  // the last thread has all
    __shared__ int of_block;
    if (own == long_row_threads - 1) of_block = static_cast<int>(sum);
    __syncthreads();
    return is_full ? -1 : of_block;
}

template <int L, class Pattern>
__global__ void __launch_bounds__(long_row_threads)
    count_rows_in_block_kernel(Pattern pattern, RowLists lists, Index* length) {
    extern __shared__ Index counting_keys[];
    for_listed_rows(lists, RowLists::in_block, [&](Index i) {
        const int n = count_long_row<L>(pattern, i, HashPlaces{counting_keys, counting_table});
        if (threadIdx.x == 0) {
            if (n >= 0) {
                length[i] = n;
            } else {
                lists.push(RowLists::in_memory, i);
            }
        }
    });
}

template <int L, class Pattern>
__global__ void __launch_bounds__(long_row_threads)
    count_rows_in_memory_kernel(Pattern pattern, RowLists lists, LongRowRoom<double> room, Index* length) {
    for_listed_rows(lists, RowLists::in_memory, [&](Index i) {
        const int n = count_long_row<L>(pattern, i, room.places());
        if (threadIdx.x == 0) length[i] = n;
        __syncthreads();
    });
}

/// values[place of column] = sum for the columns of row i. Entries are taken in an order fixed by the row alone: all
/// threads find their places at once, then warp after warp adds.
template <int L, class Rows, class Places, class T>
__device__ void add_up_long_row(const Rows& rows, Index i, const Places& places, T* values) {
    const int own = static_cast<int>(threadIdx.x);
    constexpr int groups = long_row_threads / L;
    places.clear(own, long_row_threads);
    __syncthreads();
    const auto end = rows.end(i);
    for (auto base = rows.begin(i); base < end; base += groups) {
        const auto k = base + own / L;
        const bool inside = k < end;
        const auto terms = inside ? rows.terms(i, k) : rows.no_terms();
        const auto factor = inside ? rows.factor(i, k) : typename Rows::factor_type{};
        for (auto t = terms.first + own % L; __syncthreads_or(t < terms.last) != 0; t += L) {
            bool is_new = false;
            const bool adds = t < terms.last;
            const Index place = adds ? places.find(rows.col(t), is_new) : -1;
            if (is_new) values[place] = T{};
            const T value = adds ? rows.product(factor, t) : T{};
            for (int warp = 0; warp < long_row_threads / warp_size; ++warp) {
                __syncthreads();
                if (own / warp_size == warp) add_in_order(place, value, values + place);
            }
        }
    }
    __syncthreads();
}

template <class T>
inline constexpr int block_fill_bytes = filling_table<T>* static_cast<int>(sizeof(std::uint64_t) + sizeof(T) +
                                                                           sizeof(Index));

/// Sorts (column, place) and writes the row.
template <int L, class Rows, class Out>
__global__ void __launch_bounds__(long_row_threads) fill_rows_in_block_kernel(Rows rows, RowLists lists, Out out) {
    using T = typename Rows::value_type;
    extern __shared__ double filling_room[];
    auto* const sorted = reinterpret_cast<unsigned long long*>(filling_room);
    T* const values = reinterpret_cast<T*>(sorted + filling_table<T>);
    const HashPlaces places{reinterpret_cast<Index*>(values + filling_table<T>), filling_table<T>};
    __shared__ int n;
    for_listed_rows(lists, RowLists::in_block, [&](Index i) {
        if (threadIdx.x == 0) n = 0;
        add_up_long_row<L>(rows, i, places, values);
        for (int place = static_cast<int>(threadIdx.x); place < filling_table<T>; place += long_row_threads) {
            const auto key = static_cast<unsigned>(places.keys[place]);
            if (places.keys[place] == no_column) continue;
            sorted[atomicAdd(&n, 1)] = static_cast<unsigned long long>(key) << 32 | static_cast<unsigned>(place);
        }
        __syncthreads();
        bitonic_sort(sorted, n);
        const Size first = out.row_ptr[i];
        for (int e = static_cast<int>(threadIdx.x); e < n; e += long_row_threads) {
            out.col_idx[first + e] = static_cast<Index>(sorted[e] >> 32);
            out.values[first + e] = values[static_cast<unsigned>(sorted[e])];
        }
        __syncthreads();
    });
}

/// Columns ascend as the bits do.
template <int L, class Rows, class Out>
__global__ void __launch_bounds__(long_row_threads)
    fill_rows_in_memory_kernel(Rows rows, RowLists lists, LongRowRoom<typename Rows::value_type> room, Out out) {
    for_listed_rows(lists, RowLists::in_memory, [&](Index i) {
        const DensePlaces places = room.places();
        auto* const values = room.sums();
        add_up_long_row<L>(rows, i, places, values);
        __shared__ Size to;
        if (threadIdx.x == 0) to = out.row_ptr[i];
        for (Index base = 0; base < places.n_words(); base += long_row_threads) {
            const Index word = base + static_cast<Index>(threadIdx.x);
            unsigned bits = word < places.n_words() ? places.bits[word] : 0;
            const int own = __popc(bits);
            const Size up_to = block_scan(own);
            Size at = to + up_to - own;
            for (; bits != 0; bits &= bits - 1) {
                const Index col = word * warp_size + __ffs(static_cast<int>(bits)) - 1;
                out.col_idx[at] = col;
                out.values[at++] = values[col];
            }
            __syncthreads();
            if (threadIdx.x == long_row_threads - 1) to += up_to;
            __syncthreads();
        }
    });
}

}  // namespace stiefel::cuda
