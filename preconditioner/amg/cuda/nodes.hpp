#pragma once

#include "stiefel/preconditioner/amg/cuda/strength.hpp"

namespace stiefel::amg {

/// As of the host, where `facts` of the rows of A say that positive couplings are many. Waits for the device then.
Index find_components(Cuda&, const DeviceCsr<double>& a, const LevelFacts& facts);

}  // namespace stiefel::amg
