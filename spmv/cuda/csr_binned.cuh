#pragma once

#include "stiefel/core/cuda/pack.cuh"
#include "stiefel/spmv/cuda/bins.hpp"
#include "stiefel/spmv/cuda/split_rows.cuh"

namespace stiefel::cuda {

// Where columns are scattered, it is not memory that a product waits for but the second-level cache, which is asked for
// a sector for every nonzero. Here no multiprocessor reads x but its own strip of it, once. Some of its threads read
// from there, in shared memory, the elements that the nonzeros of the strip need, and send them off in bins, one for
// each tile of nonzeros; others receive all bins of a tile, put them where the nonzeros are, multiply and add up rows.
// The bins stay in the second-level cache, where they are written and read in whole lines.

template <class T, class Offset>
struct BinnedArguments {
    Size nnz;
    const Offset* row_ptr;
    const T* values;
    const Index* first_row;  // of shares of CsrShares::nonzeros
    Index n_shares;
    Index n_strips, n_tiles, n_steps, tile_units, strip_columns;
    const Index* strip_begin;
    const Index* step_begin;
    const std::uint16_t* column;
    const Index* destination;
    const std::uint16_t* position;
    const Index* n_units;
    T* gathered;
    unsigned* written;
    unsigned* taken;
    SplitRows<BinLayout<T>::tile> split;
    RowOutput<T> out;
};

/// Barrier of some warps of the block. Number 0 is that of all threads.
__device__ inline void barrier(int number, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

/// Waits until all blocks have counted, and makes what they did before visible.
__device__ inline void wait_for_all(const unsigned* counter) {
    unsigned count = 0;
    while (true) {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(count) : "l"(counter) : "memory");
        if (count == gridDim.x) return;
        __nanosleep(20);
    }
}

/// Counts this block, after a barrier of the threads whose work others wait for.
__device__ inline void count_block(unsigned* counter) {
    __threadfence();
    atomicAdd(counter, 1u);
}

__device__ inline void prefetch(const void* p) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}

/// Half a unit: what one 16-byte access moves.
template <class T>
struct HalfUnit {
    static constexpr int size = 16 / static_cast<int>(sizeof(T));
    using Numbers = std::conditional_t<size == 2, ushort2, ushort4>;

    __device__ static void load(const std::uint16_t* array, Size half, std::uint16_t (&numbers)[size]) {
        const Numbers raw = __ldcs(reinterpret_cast<const Numbers*>(array) + half);
        memcpy(numbers, &raw, sizeof raw);
    }
};

}  // namespace stiefel::cuda
