#pragma once

#include "stiefel/core/cuda/reduce.cuh"
#include "stiefel/spmv/device_formats.hpp"

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
    __device__ Index row(Size slot) const {
        return row_of_slot != nullptr ? row_of_slot[slot] : static_cast<Index>(min(slot, Size{n_rows}));
    }
};

}  // namespace stiefel::cuda
