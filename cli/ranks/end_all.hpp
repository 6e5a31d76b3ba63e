#pragma once

#include "stiefel/world/mpi/mpi_ranks.hpp"

#include <exception>

namespace stiefel::cli {

/// Ends all ranks for what went wrong in this one while others may wait for it, with its exit code. One message is
/// printed, by the first to fail, whichever rank that is, also where no memory is left.
[[noreturn]] void end_all(MpiRanks& ranks, const std::exception& problem) noexcept;

}  // namespace stiefel::cli
