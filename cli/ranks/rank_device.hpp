#pragma once

#include "stiefel/cli/computation_options.hpp"
#include "stiefel/core/cuda.hpp"
#include "stiefel/world/ranks.hpp"

namespace stiefel::cli {

/// Whether the ranks compute on GPUs: where it is asked for, or left open and every rank can have one of its own. All
/// call it at once.
bool takes_gpus(Ranks& ranks, const BackendWords& words);

/// The number of this rank's GPU among those it can see: the ranks of a host take them in turn. All call it at once.
int device_of_rank(Ranks& ranks);

/// Throws RankFault, in all ranks, with numbers, where some share a GPU: each would wait for the other's turn on it.
/// All call it at once.
void check_devices_apart(Ranks& ranks, const Cuda& backend);

}  // namespace stiefel::cli
