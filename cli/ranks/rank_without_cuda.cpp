// For builds without CUDA.
#include "stiefel/cli/ranks/rank_course.hpp"
#include "stiefel/cli/ranks/rank_eigen.hpp"
#include "stiefel/cli/ranks/rank_solve.hpp"
#include "stiefel/cli/ranks/together.hpp"

namespace stiefel::cli {

bool takes_gpus(Ranks& ranks, const BackendWords& words) {
    by_first(ranks, [&] {
        if (words.backend != BackendChoice::cuda) return;
        throw DeviceError("this Stiefel was built without CUDA; --backend openmp runs on the cores of this machine");
    });
    return false;
}

int device_of_rank(Ranks&) {
    return 0;
}

template <class T, class System, class Options, class Report>
HostVector<T> compute_on_gpus(TimedRanks&, RankStart&, System, const Options&, Report&, StatusLine&) {
    throw DeviceError("this Stiefel was built without CUDA");
}

template HostVector<double> compute_on_gpus(TimedRanks&, RankStart&, RankSystem, const SolveOptions&, SolveReport&,
                                            StatusLine&);
template HostVector<float> compute_on_gpus(TimedRanks&, RankStart&, RankSystem, const SolveOptions&, SolveReport&,
                                           StatusLine&);
template HostVector<double> compute_on_gpus(TimedRanks&, RankStart&, RankEigenproblem, const EigenCommandOptions&,
                                            EigenReport&, StatusLine&);
template HostVector<float> compute_on_gpus(TimedRanks&, RankStart&, RankEigenproblem, const EigenCommandOptions&,
                                           EigenReport&, StatusLine&);

}  // namespace stiefel::cli
