#pragma once

#include "stiefel/core/cuda/row_lanes.cuh"
#include "stiefel/spmv/row_statistics.hpp"

#include <algorithm>

namespace stiefel {

/// Counts rows by their lengths, for RowStatistics: many blocks in words that are zero at first.
class RowLengthCounts {
public:
    using Word = unsigned long long;
    /// Lengths that a block counts by itself before it adds to what all count.
    static constexpr int near_lengths = 1024;
    using Near = unsigned[near_lengths];

    /// How many words they take.
    static Size words(Index longest) { return lengths(longest) + 1; }

    RowLengthCounts(Index n_rows, Index longest, Word* words)
        : n_rows_(n_rows), longest_(longest), count_(words), first_from_end_(words + lengths(longest)) {}

    /// By all threads of a block.
    __device__ void begin(Near& near) const {
        for (int i = static_cast<int>(threadIdx.x); i < near_lengths; i += static_cast<int>(blockDim.x)) near[i] = 0;
        __syncthreads();
    }

    __device__ void add(Near& near, Index length) const {
        if (length < near_lengths) {
            atomicAdd(near + length, 1u);
        } else {
            atomicAdd(count_ + length, Word{1});
        }
    }

    __device__ bool is_longest(Index length) const { return length == longest_; }

    /// By all threads of a block, with the first row that each has seen to be as long as any; n_rows where there is
    /// none.
    __device__ void end(Near& near, Index first_longest) const {
        raise_bits(first_from_end_, static_cast<Word>(n_rows_ - first_longest));
        __syncthreads();
        for (int i = static_cast<int>(threadIdx.x); i < near_lengths; i += static_cast<int>(blockDim.x)) {
            if (near[i] > 0) atomicAdd(count_ + i, Word{near[i]});
        }
    }

    /// From what was counted, on the host.
    static RowStatistics statistics(Index n_rows, Index longest, const Word* counted) {
        HostVector<Size> rows_of_length(Size{longest} + 1);
        for (Size i = 0; i < rows_of_length.size(); ++i) rows_of_length[i] = static_cast<Size>(counted[i]);
        return row_statistics(rows_of_length.span(), n_rows - static_cast<Index>(counted[lengths(longest)]));
    }

private:
    static Size lengths(Index longest) { return std::max<Size>(Size{longest} + 1, near_lengths); }

    Index n_rows_, longest_;
    Word* count_;
    Word* first_from_end_;
};

}  // namespace stiefel
