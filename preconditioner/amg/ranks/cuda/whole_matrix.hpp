#pragma once

#include "stiefel/spmv/device_formats.hpp"
#include "stiefel/world/cuda/cuda_world.hpp"
#include "stiefel/world/world_matrix.hpp"

namespace stiefel::amg {

/// A of all ranks, on the GPU of each. own: of this rank's rows the columns that it holds; what they have beside these
/// is in `split`, of which `own` is not looked at. A has fewer than 2^31 rows. All ranks call it at once.
DeviceCsr<double> whole_matrix(Cuda&, CudaWorld&, const RowBlocks& rows, const DeviceCsr<double>& own,
                               const SplitRows<double>& split);

}  // namespace stiefel::amg
