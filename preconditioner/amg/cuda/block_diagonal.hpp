#pragma once

#include "stiefel/preconditioner/amg/cuda/block_matrix.hpp"
#include "stiefel/preconditioner/amg/cuda/strength.hpp"

namespace stiefel::amg {

/// The diagonal of a coarse matrix P' A P as coarse_diagonal() of the host settles it: absent unknowns count as 1, and
/// their rows and columns become zeros. What the host would refuse is the facts' first bad row; their range of the
/// diagonal says nothing.
///   r          P'
///   diagonal   of A
DeviceMatrix settled_diagonal(Cuda&, DeviceBlockMatrix& coarse, const DeviceBlockMatrix& r,
                              const DeviceVector<double>& diagonal);

}  // namespace stiefel::amg
