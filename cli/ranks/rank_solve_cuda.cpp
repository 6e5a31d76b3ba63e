#include "stiefel/cli/ranks/rank_gpus.hpp"
#include "stiefel/cli/ranks/rank_solve_impl.hpp"

namespace stiefel::cli {

HostVector<double> compute_on_gpus(TimedRanks& ranks, OpenMP& host, RankSystem system, const SolveOptions& options,
                                   SolveReport& report, StatusLine& status) {
    return compute_on_own_gpus(ranks, host, std::move(system), options, report, status);
}

}  // namespace stiefel::cli
