#pragma once

#include "stiefel/preconditioner/fsai/cuda/couplings.hpp"

namespace stiefel::fsai {

/// The columns of G's rows that grow as GrownPatterns of the host has them, a warp a row, in the order in which they
/// are taken; and the values of a row before it is scaled, 1 / energy at the diagonal. couplings: strong ones of S, A
/// scaled to a unit diagonal.
Rows grown_patterns(Cuda&, const DeviceCsr<double>& a, const DeviceVector<double>& inverse_roots, Rows& couplings,
                    Size steps, double least_pivot);

}  // namespace stiefel::fsai
