#pragma once

#include "stiefel/core/cuda/elements.cuh"
#include "stiefel/spmv/cuda/coo_entries.cuh"

// Rows of codes in any order become rows of CSR in the order of their keys: short ones by counting how many keys go
// before each, long ones by a bitonic sort (Batcher 1968) in a block.

namespace stiefel::cuda {

inline constexpr int sort_threads = 256;

/// Keys that a block sorts in shared memory.
inline constexpr int shared_keys = 4096;

/// Rows that are too long for the lanes of a warp.
struct LongRows {
    Index* rows;
    unsigned* n;
};

template <class T, class Offset>
struct SortedRows {
    Index n_rows;
    const Offset* row_ptr;
    const unsigned* codes;
    Index* col_idx;
    T* values;
    unsigned long long* n_duplicates;  ///< entries that stand behind another of the same column

    __device__ void put(const CooEntries<T>& coo, Size place, unsigned long long key) const {
        col_idx[place] = column_of(key);
        values[place] = coo.value(key);
    }
    __device__ void count(unsigned duplicates) const {
        duplicates = __reduce_add_sync(all_lanes, duplicates);
        if (threadIdx.x % warp_size == 0 && duplicates > 0) atomicAdd(n_duplicates, duplicates);
    }
};

template <int lanes, class T, class Offset>
__global__ void sort_short_rows_kernel(CooEntries<T> coo, SortedRows<T, Offset> out, LongRows beyond) {
    const Size row = thread_number() / lanes;
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    const Size first = row < out.n_rows ? out.row_ptr[row] : 0;
    Size length = row < out.n_rows ? out.row_ptr[row + 1] - first : 0;
    if (length > lanes) {
        if (lane == 0) beyond.rows[atomicAdd(beyond.n, 1u)] = static_cast<Index>(row);
        length = 0;
    }
    constexpr unsigned long long none = ~0ull;
    const unsigned long long key = lane < length ? coo.key(out.codes[first + lane]) : none;
    const auto longest = static_cast<int>(__reduce_max_sync(all_lanes, static_cast<unsigned>(length)));
    int before = 0;
    bool is_duplicate = false;
    for (int j = 0; j < longest; ++j) {
        const unsigned long long other = __shfl_sync(all_lanes, key, j, lanes);
        before += other < key;
        is_duplicate |= other < key && column_of(other) == column_of(key);
    }
    const bool is_entry = lane < length;
    if (is_entry) out.put(coo, first + before, key);
    out.count(is_entry && is_duplicate);
}

/// Ascending, whatever n is: partners beyond the end count as larger than all.
__device__ inline void bitonic_sort(unsigned long long* keys, Size n) {
    const auto exchange = [&](Size bits) {
        for (Size i = threadIdx.x; i < n; i += blockDim.x) {
            const Size partner = i ^ bits;
            if (partner <= i || partner >= n) continue;
            const unsigned long long a = keys[i], b = keys[partner];
            if (a > b) {
                keys[i] = b;
                keys[partner] = a;
            }
        }
        __syncthreads();
    };
    for (Size width = 2; width < 2 * n; width *= 2) {
        exchange(width - 1);
        for (Size step = width / 4; step > 0; step /= 2) exchange(step);
    }
}

/// `scratch` has a place for every nonzero if any row is longer than shared_keys.
template <class T, class Offset>
__global__ void __launch_bounds__(sort_threads)
    sort_long_rows_kernel(CooEntries<T> coo, SortedRows<T, Offset> out, LongRows rows, unsigned long long* scratch) {
    __shared__ unsigned long long near[shared_keys];
    for (unsigned i = blockIdx.x; i < *rows.n; i += gridDim.x) {
        const Index row = rows.rows[i];
        const Size first = out.row_ptr[row];
        const Size n = out.row_ptr[row + 1] - first;
        unsigned long long* const keys = n <= shared_keys ? near : scratch + first;
        for (Size j = threadIdx.x; j < n; j += blockDim.x) keys[j] = coo.key(out.codes[first + j]);
        __syncthreads();
        bitonic_sort(keys, n);
        unsigned duplicates = 0;
        for (Size j = threadIdx.x; j < n; j += blockDim.x) {
            out.put(coo, first + j, keys[j]);
            duplicates += j > 0 && column_of(keys[j]) == column_of(keys[j - 1]);
        }
        out.count(duplicates);
        __syncthreads();
    }
}

}  // namespace stiefel::cuda
