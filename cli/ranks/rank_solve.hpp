#pragma once

#include "stiefel/cli/ranks/rank_input.hpp"
#include "stiefel/cli/report/solve_report.hpp"
#include "stiefel/cli/solve/solve_options.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/world/timed_ranks.hpp"

namespace stiefel::cli {

/// Does what `stiefel solve` does, on several ranks at once, each of which calls it. Returns all there is to report but
/// the total time; the first rank writes x. Throws RankFault, in all ranks, for what they agree on; anything else is
/// thrown by a rank for which others may wait.
SolveReport solve_on_ranks(Ranks& ranks, const SolveOptions& options, StatusLine& status);

/// From the system to x, in the rows of this rank. Compiled once for each backend and precision (rank_solve_*.cpp).
/// `ranks` are `timed`, or GPUs that talk through them.
template <class T, class B>
HostVector<T> compute_on(B& backend, RanksOf<B>& ranks, TimedRanks& timed, OpenMP& host, RankSystem system,
                         const SolveOptions& options, SolveReport& report, StatusLine& status);

}  // namespace stiefel::cli
