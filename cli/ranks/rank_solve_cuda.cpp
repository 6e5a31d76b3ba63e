#include "stiefel/cli/ranks/rank_gpus.hpp"
#include "stiefel/cli/ranks/rank_solve_impl.hpp"

namespace stiefel::cli {

template HostVector<double> compute_on_gpus(TimedRanks&, RankStart&, RankSystem, const SolveOptions&, SolveReport&,
                                            StatusLine&);

}  // namespace stiefel::cli
