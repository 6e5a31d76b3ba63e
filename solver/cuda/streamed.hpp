#pragma once

#include "stiefel/solver/cg_kernels.hpp"
#include "stiefel/spmv/device_formats.hpp"
#include "stiefel/world/boundary_slices.hpp"
#include "stiefel/world/cuda/boundary_kernels.hpp"

#include <functional>
#include <memory>

// The loop of CG as one kernel for systems of which the vectors, or a good part of them, but not the matrix, fit into
// the multiprocessors, as set_resident() puts it to use.

namespace stiefel::cuda {

/// What a block has.
struct StreamedRoom {
    Index slices_of_block = 0;  ///< at most
    Index r = 0, x = 0, q = 0;  ///< of so many of them each vector stays, the first ones of a block
    Index slices_of_run = 0;    ///< that follow each other in the matrix
    unsigned over_run = 0;      ///< 2^32 / slices_of_run, rounded up; 0 where a block has one run

    bool all_stay() const { return q == slices_of_block; }
};

/// How the slots of a system are dealt out to the blocks of a grid that runs at once. Where all vectors stay, p is in
/// the second-level cache, and a block has one run of slices, which overlap in the first-level cache most. Otherwise
/// each block has one run, then each the next, and so on, so that all are near each other in the matrix at a time, and
/// what they read of p is read from memory once (7-point 160^3, H200, us an iteration with runs of all, 256 and 64
/// slices: 134, 126, 125; jump_diffusion3d 160: 164, 155, 144; 27-point 112^3 60, 60, 61).
struct StreamedShape {
    StreamedRoom room;
    Index runs = 1;  ///< of a block
    int blocks = 0;
    int warps_of_block = 0;
    Size shared_bytes = 0;
    bool fits = false;  ///< so much that it is worth it
};
template <class T>
StreamedShape streamed_shape(const CudaDevice& device, const DeviceCompressedSell<T>& a, bool has_others);

/// Sets step.resident for a GPU by itself, whether or not that is worth it.
template <class T, class M>
void set_streamed(Cuda& backend, CudaStep& step, const StreamedShape& shape, const DeviceCompressedSell<T>& a,
                  const M& m, DeviceVector<T>& x, DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<CgState>& state);

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
