#include "stiefel/cli/ranks/rank_eigen_impl.hpp"
#include "stiefel/cli/ranks/rank_gpus.hpp"

namespace stiefel::cli {

HostVector<double> compute_on_gpus(TimedRanks& ranks, OpenMP& host, RankEigenproblem problem,
                                   const EigenCommandOptions& options, EigenReport& report, StatusLine& status) {
    return compute_on_own_gpus(ranks, host, std::move(problem), options, report, status);
}

}  // namespace stiefel::cli
