#pragma once

#include "stiefel/preconditioner/amg/cuda/strength.hpp"

namespace stiefel::amg {

/// The inverse of a small symmetric positive definite matrix, as the host's coarse_inverse(): by elimination of all
/// rows at once (Gauss and Jordan), 32 pivots together.                                                  2 n^3 flops
DeviceCsr<double> coarse_inverse(Cuda&, const DeviceCsr<double>& a, const DeviceMatrix& of);

}  // namespace stiefel::amg
