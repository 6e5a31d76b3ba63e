#pragma once

#include "stiefel/core/cuda/reduce.cuh"
#include "stiefel/spmv/coo.hpp"

namespace stiefel::cuda {

// A nonzero that an entry stands for has a code: twice the entry's number, and one more for its mirror image. So codes
// are in the order in which the host goes through the nonzeros of a row.

/// Entries that codes of 32 bits can tell apart.
inline constexpr Size most_coded_entries = Size{1} << 31;

/// A COO matrix in device memory.
template <class T>
struct CooEntries {
    const Index* row_idx;
    const Index* col_idx;
    const T* values;
    Size n;
    bool is_mirrored;
    T mirror;  ///< what a mirror image is multiplied with

    __device__ bool has_image(Size e) const { return is_mirrored && row_idx[e] != col_idx[e]; }

    /// What a row is sorted by: columns, and of one column in order.
    __device__ unsigned long long key(unsigned code) const {
        const unsigned e = code / 2;
        const auto col = static_cast<unsigned>(code % 2 != 0 ? row_idx[e] : col_idx[e]);
        return static_cast<unsigned long long>(col) << 32 | code;
    }
    __device__ T value(unsigned long long key) const {
        const auto code = static_cast<unsigned>(key);
        return code % 2 != 0 ? mirror * values[code / 2] : values[code / 2];
    }
};

__device__ inline Index column_of(unsigned long long key) {
    return static_cast<Index>(key >> 32);
}

}  // namespace stiefel::cuda
