#pragma once

#include "stiefel/cli/solve/solve_options.hpp"

namespace stiefel::cli {

/// What a solve on several ranks does not do yet. Throws UsageError: the flag, and what to give in its place.
void check_rank_options(const SolveOptions& options);

/// As this rank is to take them: the first writes and reads for all, the others nothing.
SolveOptions options_of_rank(const SolveOptions& options, int rank);

}  // namespace stiefel::cli
