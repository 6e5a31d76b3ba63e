#include "stiefel/cli/ranks/rank_solve_impl.hpp"

namespace stiefel::cli {

template HostVector<float> compute_on(OpenMP&, Ranks&, TimedRanks&, OpenMP&, RankSystem, const SolveOptions&,
                                      SolveReport&, StatusLine&);

}  // namespace stiefel::cli
