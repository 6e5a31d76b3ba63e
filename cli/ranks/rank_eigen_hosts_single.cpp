#include "stiefel/cli/ranks/rank_eigen_impl.hpp"

namespace stiefel::cli {

template HostVector<float> compute_on(Serial&, Ranks&, TimedRanks&, OpenMP&, RankEigenproblem,
                                      const EigenCommandOptions&, EigenReport&, StatusLine&);
template HostVector<float> compute_on(OpenMP&, Ranks&, TimedRanks&, OpenMP&, RankEigenproblem,
                                      const EigenCommandOptions&, EigenReport&, StatusLine&);

}  // namespace stiefel::cli
