#pragma once

#include <string>
#include <vector>

namespace stiefel::bench {

/// How an iteration of CG scales over ranks: starts `mpirun -np N stiefel solve` on systems that the ranks make, round
/// by round, and prints a table for each kind. Returns the exit code.
int run_scaling(const std::vector<std::string>& arguments);

}  // namespace stiefel::bench
