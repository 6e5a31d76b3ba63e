#pragma once

#include "stiefel/spmv/cuda/compressed_sell.cuh"
#include "stiefel/spmv/cuda/diagonals.cuh"
#include "stiefel/spmv/cuda/row_kernel.cuh"

#include <algorithm>

// Products by a CompressedSell: a warp for a slice, a lane for a row, values side by side, and for the columns nothing,
// 2 bytes or 4.

namespace stiefel::cuda {

/// Blocks of a multiprocessor: as many as there are registers for.
inline constexpr int compressed_sell_blocks = 4;

template <class Distance>
__device__ void load_distances(const Distance* distances, Index begin, Index n, Index (&distance)[slice_batch]) {
#pragma unroll
    for (int u = 0; u < slice_batch; ++u) {
        const Size at = Size{begin + u} * warp_size;
        distance[u] = begin + u < n ? static_cast<Index>(load_once(distances + at)) : 0;
    }
}

/// Sum of values[32 j] x[bases[j] + distances[32 j]] over j < n, without what is padding. Whole warps; the first values
/// and bases have been loaded.
template <bool steady, class T, class Distance>
__device__ T listed_product(const T* values, T (&value)[slice_batch], const Index* bases, Index base,
                            const Distance* distances, const T* x, Index n) {
    T sum = 0;
    Index distance[slice_batch];
    load_distances(distances, 0, n, distance);
    for (Index j = 0;;) {
        T other[slice_batch];
#pragma unroll
        for (int u = 0; u < slice_batch; ++u) {
            const Index column = __shfl_sync(all_lanes, base, u) + distance[u];
            other[u] = load_of_x<steady>(x + column);
        }
        const Index next = j + slice_batch;
        load_distances(distances, next, n, distance);
#pragma unroll
        for (int u = 0; u < slice_batch; ++u) sum = with_entry(sum, value[u], other[u]);
        if (next >= n) return sum;
        j = next;
        base = next_of_group(bases, base, j, n);
        values += slice_batch * warp_size;
        load_batch(values, j, n, value);
    }
}

/// steady: nothing writes x meanwhile.
template <bool shared, bool steady = true, class T>
__device__ T slice_product(const CompressedView<T>& a, const CompressedSlice& at, Index n, unsigned slot, const T* x) {
    const unsigned lane = threadIdx.x % warp_size;
    const T* const values = a.values + (at.group * warp_size + lane);
    const Index* const bases = a.base + at.group;
    const Index base = load_of_group(bases, 0, n);
    T value[slice_batch];  // not to wait for the columns first
    load_batch<shared>(values, 0, n, value);
    if (at.columns == SliceColumns::diagonals) {
        return diagonals_product<shared, steady>(values, value, bases, base, x + slot, n, at.padded);
    }
    const std::uint16_t* const distances = a.distances + at.distance;
    if (at.columns == SliceColumns::near)
        return listed_product<steady>(values, value, bases, base, distances + lane, x, n);
    return listed_product<steady>(values, value, bases, base, reinterpret_cast<const Index*>(distances) + lane, x, n);
}

/// Slices that follow each other, of a block; what their rows add to <x, y>.
template <bool shared, class T>
__device__ double slices_product(const CompressedView<T>& a, Index begin, Index n, const RowOutput<T>& out) {
    double dot = 0;
    const Index end = min(begin + n, a.n_slices);
    const auto n_warps = static_cast<Index>(blockDim.x / warp_size);
    for (Index place = begin + static_cast<Index>(threadIdx.x / warp_size); place < end; place += n_warps) {
        const Index slice = out.descends ? a.n_slices - 1 - place : place;
        const CompressedSlice at = a.slices[slice];
        const auto n_groups = at.n_groups;
        const unsigned slot = static_cast<unsigned>(slice) * warp_size + threadIdx.x % warp_size;
        const T sum = n_groups > 0 ? slice_product<shared>(a, at, n_groups, slot, out.x) : T{0};
        if (const Index row = a.row(slot); row < a.n_rows) dot += out.store(row, sum);
    }
    return dot;
}

/// How the slices are dealt out. Rows near each other share much of x, so a block takes slices that follow each other:
/// otherwise what the first-level caches ask of the second is what a product of few diagonals waits for (7-point 160^3,
/// H200: 88 us, and 82 so). But blocks are to come in a few rounds.
struct SliceShares {
    Index slices_of_block;
    Size blocks;     ///< that have slices
    Size at_a_time;  ///< that run at once

    SliceShares(const Cuda& backend, Index n_slices) {
        constexpr Size warps = block_threads / warp_size;
        at_a_time = Size{compressed_sell_blocks} * backend.device().multiprocessors;
        slices_of_block = static_cast<Index>(warps * std::clamp<Size>(n_slices / (4 * at_a_time * warps), 1, 4));
        blocks = (n_slices + slices_of_block - 1) / slices_of_block;
    }
};

}  // namespace stiefel::cuda
