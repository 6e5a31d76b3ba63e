#pragma once

#include "stiefel/preconditioner/amg/cuda/aggregates.hpp"

namespace stiefel::amg {

/// The host's smoothed_prolongation() of these couplings and aggregates: n x aggregates. Takes filtered_radius from the
/// facts on the device and leaves omega there. Waits for the device once.
DeviceCsr<double> smoothed_prolongation(Cuda&, const DeviceCsr<double>& a, const DeviceStrength&, DeviceMatrix& of,
                                        const DeviceAggregates&);

}  // namespace stiefel::amg
