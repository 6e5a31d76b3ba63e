#pragma once

#include "stiefel/core/cuda/reduce.cuh"
#include "stiefel/spmv/device_formats.hpp"

#include <cstddef>

namespace stiefel::cuda {

/// CompressedSell as kernels read it: a warp for a slice, a lane for a row.
template <class T>
struct CompressedView {
    Index n_rows;
    Index n_slices;
    const CompressedSlice* slices;
    const Index* row_of_slot;  ///< or null
    const Index* base;
    const std::uint16_t* distances;
    const T* values;

    explicit CompressedView(const DeviceCompressedSell<T>& a)
        : n_rows(a.n_rows),
          n_slices(a.n_slices()),
          slices(a.slices.data()),
          row_of_slot(a.row_of_slot.data()),
          base(a.base.data()),
          distances(a.distances.data()),
          values(a.values.data()) {}

    /// The row that a slot holds; n_rows for an empty one.
    __device__ Index row(unsigned slot) const {
        return row_of_slot != nullptr ? row_of_slot[slot]
                                      : static_cast<Index>(min(slot, static_cast<unsigned>(n_rows)));
    }
};

/// A slice that is asked for ahead, in words: parts of one would be taken from it as it comes, and be waited for there.
class SliceAhead {
public:
    SliceAhead() = default;
    __device__ explicit SliceAhead(const CompressedSlice* slice) {
#pragma unroll
        for (int k = 0; k < n_words; ++k) word_[k] = __ldg(reinterpret_cast<const unsigned long long*>(slice) + k);
    }

    __device__ CompressedSlice now() const {
        CompressedSlice slice;
        slice.group = static_cast<Size>(word_[0]);
        slice.distance = static_cast<Size>(word_[1]);
        slice.n_groups = static_cast<Index>(word_[2]);
        slice.columns = static_cast<SliceColumns>(word_[2] >> 8 * offsetof(CompressedSlice, columns) % 64 & 0xff);
        slice.padded = (word_[2] >> 8 * offsetof(CompressedSlice, padded) % 64 & 0xff) != 0;
        return slice;
    }

private:
    static constexpr int n_words = 3;
    static_assert(sizeof(CompressedSlice) == n_words * sizeof(unsigned long long));
    static_assert(offsetof(CompressedSlice, distance) == 8 && offsetof(CompressedSlice, n_groups) == 16);

    unsigned long long word_[n_words] = {};
};

}  // namespace stiefel::cuda
