#pragma once

#include "stiefel/core/cuda/reduce.cuh"
#include "stiefel/dense/cuda/ptx.cuh"

namespace stiefel::cuda {

/// Adds up what the blocks of a grid have each left in scratch.partials, `elements` sums side by side, in an order
/// fixed by the grid; the last block to arrive calls put(element, sum) for each, and returns true: it has the matrices
/// to end by all_sum(). Every thread of every block of `threads` threads must call it, after its own part is written.
template <int threads, int elements, class Put>
__device__ bool add_up_blocks(const ReductionScratch& scratch, Put&& put) {
    __shared__ bool is_last;
    const int thread = static_cast<int>(threadIdx.x);
    __threadfence();
    __syncthreads();
    if (thread == 0) is_last = atomicInc(scratch.ticket, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (!is_last) return false;
    __threadfence();
    // Groups of lanes share the blocks of an element, so that there are enough loads on their way.
    constexpr int parts = 8;
    for (int e = thread / parts; e < elements; e += threads / parts) {
        double sum = 0;
#pragma unroll 8
        for (int b = thread % parts; b < static_cast<int>(gridDim.x); b += parts) {
            sum += __ldcg(scratch.partials + Size{b} * elements + e);
        }
        for (int step = parts / 2; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
        if (thread % parts == 0) put(e, sum);
    }
    return true;
}

/// What a warp has summed of a Gram matrix, in tiles of 8 x 8 on and above the diagonal.
template <int tiles>
struct GramTiles {
    static constexpr int n = tiles * (tiles + 1) / 2;
    static constexpr int elements = n * 64;
    double sums[n][2] = {};

    /// Adds 4 rows of P' Q: with g = lane / 4 and t = lane % 4 a lane has row t of column g of each tile.
    __device__ void add(const double (&p)[tiles], const double (&q)[tiles]) {
        int tile = 0;
#pragma unroll
        for (int i = 0; i < tiles; ++i) {
#pragma unroll
            for (int j = i; j < tiles; ++j) multiply_8x8x4(sums[tile++], p[i], q[j]);
        }
    }

    /// Element e of the tiles, as they are written out, belongs at (row, col) of the matrix.
    __device__ static void place(int e, int& row, int& col) {
        int i = 0;
        int tile = e / 64;
        while (tile >= tiles - i) tile -= tiles - i++;
        row = 8 * i + e % 64 / 8;
        col = 8 * (i + tile) + e % 8;
    }
};

/// Adds up what all warps of all blocks have summed, in an order fixed by the grid, writes each k x k matrix in full to
/// its place and ends it over the world. Every thread of every block of `threads` threads must call it.
template <int threads, int tiles, int n_grams, class... To>
__device__ void add_up_grams(const GramTiles<tiles> (&grams)[n_grams], int k, const ReductionScratch& scratch,
                             To... to) {
    static_assert(sizeof...(to) >= n_grams);
    double* const matrices[] = {to...};
    constexpr int n_warps = threads / 32;
    constexpr int elements = GramTiles<tiles>::elements;
    __shared__ double of_warp[n_warps][64];
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread % 32;
    double* const own = scratch.partials + Size{blockIdx.x} * n_grams * elements;
#pragma unroll
    for (int m = 0; m < n_grams; ++m) {
#pragma unroll
        for (int tile = 0; tile < GramTiles<tiles>::n; ++tile) {
            of_warp[thread / 32][2 * lane] = grams[m].sums[tile][0];
            of_warp[thread / 32][2 * lane + 1] = grams[m].sums[tile][1];
            __syncthreads();
            if (thread < 64) {
                double sum = 0;
#pragma unroll
                for (int warp = 0; warp < n_warps; ++warp) sum += of_warp[warp][thread];
                own[m * elements + tile * 64 + thread] = sum;
            }
            __syncthreads();
        }
    }
    const bool has_sums = add_up_blocks<threads, n_grams * elements>(scratch, [&](int e, double sum) {
        int row = 0, col = 0;
        GramTiles<tiles>::place(e % elements, row, col);
        if (row >= k || col >= k) return;
        matrices[e / elements][row * k + col] = sum;
        if (row / 8 != col / 8) matrices[e / elements][col * k + row] = sum;
    });
    if (!has_sums) return;
#pragma unroll
    for (int m = 0; m < n_grams; ++m) all_sum(scratch.world, matrices[m], k, k, k);
}

}  // namespace stiefel::cuda
