#pragma once

#include "stiefel/solver/cg_kernels.hpp"
#include "stiefel/spmv/device_formats.hpp"
#include "stiefel/world/boundary_slices.hpp"
#include "stiefel/world/cuda/boundary_kernels.hpp"

#include <functional>
#include <memory>

// The loop of CG as one kernel for systems of which the vectors, but not the matrix, fit into the multiprocessors, as
// set_resident() puts it to use.

namespace stiefel::cuda {

/// How the slots of a system are dealt out to the blocks of a grid that runs at once.
struct StreamedShape {
    Index slices_of_block = 0;  ///< at most
    int blocks = 0;
    int warps_of_block = 0;
    Size shared_bytes = 0;
    bool fits = false;
};
template <class T>
StreamedShape streamed_shape(const CudaDevice& device, const DeviceCompressedSell<T>& a, bool has_others);

/// What the rows of a GPU have to do with those of others; get_ready() comes before each launch of the kernel.
template <class T>
struct StreamedWithOthers {
    std::shared_ptr<const BoundarySlices<T, DeviceMemory>> slices;
    LetterWays ways;
    std::function<void()> get_ready;
};

/// Sets step.resident for the rows of one GPU among several, of a shape that fits on all.
template <class T, class M>
void set_streamed(Cuda& backend, CudaStep& step, const StreamedShape& shape, const DeviceCompressedSell<T>& a,
                  const StreamedWithOthers<T>& others, const M& m, DeviceVector<T>& x, DeviceVector<T>& r,
                  DeviceVector<T>& p, DeviceVector<CgState>& state);

}  // namespace stiefel::cuda
