#pragma once

#include "stiefel/core/cuda/reduce.cuh"

namespace stiefel::cuda {

/// Rows by the kind of kernel that builds them. 0 to 3: a few lanes and a small table in shared memory; 4: a block and
/// a large one; 5: a block and a place in device memory for every column.
struct RowLists {
    static constexpr int n_lists = 6;
    static constexpr int in_block = 4;
    static constexpr int in_memory = 5;

    Index n_rows;
    Index* rows;      ///< n_rows places for each list
    unsigned* count;  ///< of each list

    __device__ Index* list(int l) const { return rows + Size{l} * n_rows; }

    /// The row that did not fit where it was tried.
    __device__ void push(int l, Index row) const { list(l)[atomicAdd(count + l, 1u)] = row; }

    /// Appends the rows of a block's threads, each to its list (none if negative), in their order.
    template <int threads>
    __device__ void append(int l, Index row) const {
        constexpr int n_warps = threads / warp_size;
        __shared__ unsigned begin[n_lists][n_warps];
        const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
        unsigned before = 0;
        for (int candidate = 0; candidate < n_lists; ++candidate) {
            const unsigned lanes = __ballot_sync(all_lanes, l == candidate);
            if (l == candidate) before = static_cast<unsigned>(__popc(lanes & ((1u << lane) - 1)));
            if (lane == 0) begin[candidate][warp] = static_cast<unsigned>(__popc(lanes));
        }
        __syncthreads();
        if (threadIdx.x < n_lists) {
            unsigned sum = 0;
            for (unsigned& of_warp : begin[threadIdx.x]) {
                const unsigned own = of_warp;
                of_warp = sum;
                sum += own;
            }
            const unsigned first = sum > 0 ? atomicAdd(count + threadIdx.x, sum) : 0;
            for (unsigned& of_warp : begin[threadIdx.x]) of_warp += first;
        }
        __syncthreads();
        if (l >= 0) list(l)[begin[l][warp] + before] = row;
    }
};

/// The last row lengths that lists 0 to 4 take.
struct ListLimits {
    Index most[RowLists::n_lists - 1];

    __device__ int list_for(Size length) const {
        int l = 0;
        while (l < RowLists::n_lists - 1 && length > most[l]) ++l;
        return l;
    }
};

}  // namespace stiefel::cuda
