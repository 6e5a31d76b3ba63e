#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/world/cuda/boundary_rows.hpp"
#include "stiefel/world/cuda/cuda_world.hpp"
#include "stiefel/world/row_blocks.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace stiefel {

/// A vector of which each rank holds its rows, made whole on every GPU as often as is asked for. Each writes its rows
/// into the memory of all others, as they are (letters would be four times the bytes of single precision), and then the
/// number of the round; a second kernel waits for the numbers and takes what has come. There is room for two rounds:
/// who writes for the next but one has taken what all others wrote for the next, which they did after they had taken
/// all of this one. Where GPUs do not reach each other, rows go as those of a halo do.
template <class T>
class VectorGather {
public:
    /// All ranks make theirs at once. The world outlives it.
    VectorGather(Cuda&, CudaWorld&, const RowBlocks&);

    /// Room for panels of so many columns; all ranks at once.
    void reserve(Cuda&, Index columns);

    /// whole: rows of all, contiguous, as `own` is. Enqueue only.
    void run(Cuda&, const T* own, T* whole, Index columns) const;

    /// And back: own rows of what is whole.
    void take_own(Cuda&, const T* whole, T* own, Index columns) const;

    Size n_rows() const { return n_all_; }
    Size bytes() const { return 2 * n_all_ * columns_ * static_cast<Size>(sizeof(T)); }

private:
    CudaWorld* world_;
    Index n_;
    Size first_, n_all_;
    std::optional<BoundaryRows<Cuda, T>> by_hosts_;
    Index columns_ = 0;
    std::vector<std::byte*> boxes_;
    mutable DeviceVector<unsigned> counters_;  ///< rounds so far, and blocks that have written, that have taken
};

}  // namespace stiefel
