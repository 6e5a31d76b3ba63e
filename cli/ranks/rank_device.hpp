#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/world/ranks.hpp"

namespace stiefel::cli {

/// Throws RankFault, in all ranks, with numbers, where some share a GPU: each would wait for the other's turn on it.
/// All call it at once.
void check_devices_apart(Ranks& ranks, const Cuda& backend);

}  // namespace stiefel::cli
