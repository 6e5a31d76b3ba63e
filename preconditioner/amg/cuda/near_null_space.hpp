#pragma once

#include "stiefel/preconditioner/amg/cuda/aggregates.hpp"
#include "stiefel/preconditioner/amg/rigid_body_modes.hpp"

namespace stiefel::amg {

/// NearNullSpace of the host on a device: for each node its modes one after the other, `height` numbers each.
struct DeviceNearNullSpace {
    Index height = 1;  ///< unknowns at each node
    Index modes = 1;
    DeviceVector<double> values;
};

DeviceNearNullSpace constants(Cuda&, Index n, Index block);
/// The coordinates are uploaded.
DeviceNearNullSpace rigid_body_modes(Cuda&, const Coordinates&, Index block);

/// As of the host: t is laid out as the modes were.
struct DeviceTentativeProlongation {
    DeviceVector<double> values;
    DeviceNearNullSpace coarse;
};

/// A warp an aggregate.
DeviceTentativeProlongation tentative_prolongation(Cuda&, const DeviceAggregates&, DeviceNearNullSpace);

}  // namespace stiefel::amg
