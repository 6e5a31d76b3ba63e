#include "stiefel/cli/ranks/rank_eigen_impl.hpp"
#include "stiefel/cli/ranks/rank_gpus.hpp"

namespace stiefel::cli {

template HostVector<float> compute_on_gpus(TimedRanks&, RankStart&, RankEigenproblem, const EigenCommandOptions&,
                                           EigenReport&, StatusLine&);

}  // namespace stiefel::cli
