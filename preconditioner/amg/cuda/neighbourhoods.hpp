#pragma once

#include "stiefel/preconditioner/amg/cuda/strength.hpp"
#include "stiefel/preconditioner/amg/neighbourhoods.hpp"

namespace stiefel::amg {

/// What the host's finds. Waits for the device.
Neighbourhoods sample_neighbourhoods(Cuda&, const DeviceCsr<double>& a, const DeviceMatrix& found);

}  // namespace stiefel::amg
