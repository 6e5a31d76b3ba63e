#pragma once

#include "stiefel/core/cuda/reduce.cuh"
#include "stiefel/spmv/cuda/row_kernel.cuh"

#include <cstdint>

// Products of rows that stand on the same diagonals: a warp takes a slice of 32 rows that follow each other, a lane
// each; entry j of row i stands in column i + diagonals[j], at values[32 j + i % 32].

namespace stiefel::cuda {

/// A value of padding: all its bits are 0. A zero of the matrix is kept as -0.
__device__ inline bool is_padding(float value) {
    return __float_as_int(value) == 0;
}
__device__ inline bool is_padding(double value) {
    return __double_as_longlong(value) == 0;
}
__device__ inline bool is_padding(std::int16_t value) {
    return value == 0;
}

/// What an entry adds to its row; padding adds nothing, whatever x is.
template <class Stored, class T>
__device__ T with_entry(T sum, Stored value, T x) {
    return is_padding(value) ? sum : sum + static_cast<T>(value) * x;
}

/// A pointer of which the compiler does not know what it was made of: what is added to it takes one instruction, where
/// the sum of all numbers in it takes four.
template <class T>
__device__ const T* as_one_number(const T* pointer) {
    asm("" : "+l"(pointer));
    __builtin_assume(__isGlobal(pointer));
    return pointer;
}

/// Entries of a row that are under way at a time.
inline constexpr int slice_batch = 8;

/// From the begin-th of n values on, which is the first at `values`. shared: other slices have the same values, which
/// are to stay in the cache.
template <bool shared = false, class Stored>
__device__ void load_batch(const Stored* values, Index begin, Index n, Stored (&value)[slice_batch]) {
#pragma unroll
    for (int u = 0; u < slice_batch; ++u) {
        const Stored* const from = values + u * warp_size;
        value[u] = begin + u >= n ? Stored{0} : shared ? __ldg(from) : load_once(from);
    }
}

/// An element of x. steady: no kernel writes it while this one runs.
template <bool steady, class T>
__device__ T load_of_x(const T* x) {
    return steady ? __ldg(x) : *x;
}

/// The next 32 of n numbers, which the lanes of a warp hand to each other; beyond the last that one again: what it
/// stands for may be read, which costs less than to ask whether it is to be.
__device__ inline Index load_of_group(const Index* of_group, Index begin, Index n) {
    const Index j = begin + static_cast<Index>(threadIdx.x % warp_size);
    return n > 0 ? __ldg(of_group + min(j, n - 1)) : 0;
}

/// What load_of_group() gave, once the batch before the begin-th has been taken: its next is the first lane's.
__device__ inline Index next_of_group(const Index* of_group, Index own, Index begin, Index n) {
    return begin % warp_size == 0 ? load_of_group(of_group, begin, n) : __shfl_down_sync(all_lanes, own, slice_batch);
}

/// Sum of values[32 j] v[diagonals[j]] over j < n, without what is padding; v: x from the row on. Whole warps; the
/// first values and diagonals have been loaded. padded: there may be padding.
template <bool shared = false, bool steady = true, class Stored, class T>
__device__ T diagonals_product(const Stored* values, Stored (&value)[slice_batch], const Index* diagonals,
                               Index diagonal, const T* v, Index n, bool padded) {
    const T* const of_row = as_one_number(v);
    T sum = 0;
    Index j = 0;
    const auto with_batch = [&](auto&& with) {
        T other[slice_batch];
#pragma unroll
        for (int u = 0; u < slice_batch; ++u) {
            other[u] = load_of_x<steady>(of_row + __shfl_sync(all_lanes, diagonal, u));
        }
#pragma unroll
        for (int u = 0; u < slice_batch; ++u) sum = with(sum, value[u], other[u]);
        j += slice_batch;
        if (j >= n) return;
        diagonal = next_of_group(diagonals, diagonal, j, n);
        values += slice_batch * warp_size;
        load_batch<shared>(values, j, n, value);
    };
    // To ask of each entry whether it is one takes four instructions beside the one that adds it.
    if (!padded) {
        while (j + slice_batch <= n) {
            with_batch([](T so_far, Stored entry, T x) { return so_far + static_cast<T>(entry) * x; });
        }
    }
    while (j < n) with_batch(with_entry<Stored, T>);
    return sum;
}

}  // namespace stiefel::cuda
