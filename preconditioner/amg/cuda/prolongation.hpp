#pragma once

#include "stiefel/preconditioner/amg/cuda/aggregates.hpp"
#include "stiefel/preconditioner/amg/prolongation.hpp"

namespace stiefel::amg {

/// The host's smoothed_prolongation() of these couplings and aggregates: n x aggregates. Marks as strong, in the
/// couplings, what P follows beside; leaves filtered_radius and omega in the facts. Waits for the device once.
/// 3 passes over A.
DeviceCsr<double> smoothed_prolongation(Cuda&, const DeviceCsr<double>& a, DeviceStrength strength, DeviceMatrix& of,
                                        const DeviceAggregates&, double least = least_followed);

}  // namespace stiefel::amg
