#pragma once

#include "stiefel/preconditioner/amg/cuda/aggregates.hpp"
#include "stiefel/preconditioner/amg/cuda/block_matrix.hpp"
#include "stiefel/preconditioner/amg/cuda/near_null_space.hpp"

namespace stiefel::amg {

/// As of the host.
///   of_norms       which couplings of nodes are strong, by the norms of A's blocks
///   inverse_root   a_ii^-1/2 of A's diagonal
DeviceBlockMatrix block_prolongation(Cuda&, const DeviceBlockMatrix& a, const DeviceVector<double>& inverse_root,
                                     const DeviceStrength& of_norms, const DeviceAggregates&,
                                     const DeviceTentativeProlongation& t, double radius);

}  // namespace stiefel::amg
