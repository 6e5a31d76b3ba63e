#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/world/ranks.hpp"

namespace stiefel::cli {

/// The number of this rank's GPU among those it can see: the ranks of a host take them in turn. All call it at once.
int device_of_rank(Ranks& ranks);

/// Throws RankFault, in all ranks, with numbers, where some share a GPU: each would wait for the other's turn on it.
/// All call it at once.
void check_devices_apart(Ranks& ranks, const Cuda& backend);

}  // namespace stiefel::cli
