#pragma once

#include "stiefel/cli/eigen/eigen_options.hpp"
#include "stiefel/cli/info/info_options.hpp"
#include "stiefel/cli/solve/solve_options.hpp"

namespace stiefel::cli {

// What several ranks do not do yet. Each throws UsageError: the flag, and what to give in its place.

void check_rank_options(const SolveOptions& options);
void check_rank_options(const EigenCommandOptions& options);
void check_rank_options(const InfoOptions& options);

/// As this rank is to take them: the first writes and reads for all, the others nothing.
template <class Options>
Options options_of_rank(const Options& options, int rank) {
    Options own = options;
    if (rank == 0) return own;
    static_cast<OutputWords&>(own) = {};
    own.quiet = true;
    return own;
}

}  // namespace stiefel::cli
