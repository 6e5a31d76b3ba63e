#pragma once

#include "stiefel/preconditioner/amg/cycle.hpp"
#include "stiefel/spmv/device_formats.hpp"
#include "stiefel/world/cuda/cuda_world.hpp"
#include "stiefel/world/world_matrix.hpp"

namespace stiefel::amg {

/// What the finest level is made of where each GPU has its own rows of it, and the next one whole. Of split rows what
/// lies in own columns is on the device.
struct SharedLevel {
    const RowBlocks& rows;
    const DeviceCsr<double>& own;
    const SplitRows<double>& beyond;
    const DeviceVector<double>& inverse_roots;  ///< of the diagonal of own rows
    double spectral_radius;                     ///< of D^-1 A of all ranks: an upper bound

    const RowBlocks& coarse_rows;  ///< who restricts to which
    const DeviceVector<double>& coarse_inverse_roots;
    const DeviceCsr<double>& prolongation;  ///< own rows, all columns of the next level
    const DeviceCsr<double>& restriction;   ///< own rows of the next level, own columns
    const SplitRows<double>& restriction_beyond;
};

/// As a cycle works with it, in single or double precision. All ranks call it at once.
template <class S>
CycleLevel<Cuda, S> to_cycle_level(Cuda&, CudaWorld&, const SharedLevel&);

}  // namespace stiefel::amg
