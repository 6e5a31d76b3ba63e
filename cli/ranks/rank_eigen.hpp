#pragma once

#include "stiefel/cli/eigen/eigen_options.hpp"
#include "stiefel/cli/eigen/eigen_report.hpp"
#include "stiefel/cli/ranks/rank_matrix.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/world/timed_ranks.hpp"

namespace stiefel::cli {

/// Does what `stiefel eigen` does, on several ranks at once, each of which calls it; as solve_on_ranks.
EigenReport find_eigenpairs_on_ranks(Ranks& ranks, const EigenCommandOptions& options, StatusLine& status);

/// A matrix of which eigenpairs are sought.
struct RankEigenproblem : RankMatrix {
    PreconditionerChoice preconditioner = {};
};

/// From the matrix to eigenvectors, in the rows of this rank, one vector after the other. Compiled once for each
/// precision, on hosts and on GPUs (rank_eigen_*.cpp). `ranks` are `timed`, or GPUs that talk through them.
template <class T, class B>
HostVector<T> compute_on(B& backend, RanksOf<B>& ranks, TimedRanks& timed, OpenMP& host, RankEigenproblem problem,
                         const EigenCommandOptions& options, EigenReport& report, StatusLine& status);

}  // namespace stiefel::cli
