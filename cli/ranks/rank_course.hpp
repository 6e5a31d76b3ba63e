#pragma once

#include "stiefel/cli/machine.hpp"
#include "stiefel/cli/operator_input.hpp"
#include "stiefel/cli/ranks/rank_options.hpp"
#include "stiefel/cli/ranks/rank_threads.hpp"
#include "stiefel/cli/ranks/together.hpp"
#include "stiefel/cli/solve/warm_up.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/core/backend_start.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/world/timed_ranks.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace stiefel::cli {

// The course of a command that computes on several ranks. What it does on a backend, in precision T, is
// compute_on<T>(), overloaded for what it computes with.

/// Whether the ranks compute on GPUs: where it is asked for, or left open and every rank can have one of its own. All
/// call it at once.
bool takes_gpus(Ranks& ranks, const BackendWords& words);

/// The number of this rank's GPU among those it can see: the ranks of a host take them in turn. All call it at once.
int device_of_rank(Ranks& ranks);

/// What each rank has before anything is read.
struct RankStart {
    std::optional<OpenMP> host = {};
    bool on_gpus = false;
    // Where on_gpus, while the matrix is read:
    std::unique_ptr<EarlyKernels> kernels = {};  ///< are loaded
    std::unique_ptr<BackendStart> gpu = {};      ///< starts
};

/// Checks what was asked for, with check(), and takes threads. All call it at once.
template <class Options, class Check>
RankStart start_on_ranks(TimedRanks& ranks, const Options& options, Check&& check) {
    by_first(ranks, [&] { check_rank_options(options); });
    by_first(ranks, std::forward<Check>(check));
    const int threads = threads_of_rank(ranks, options);
    RankStart start;
    together(ranks, [&] { start.host.emplace(threads); });
    start.on_gpus = takes_gpus(ranks, options);
    if (start.on_gpus) {
        const bool may_be_multigrid = options.preconditioner == PreconditionerWord::automatic ||
                                      options.preconditioner == PreconditionerWord::amg;
        const EarlyKernels::Uses uses{
            .fsai = options.preconditioner == PreconditionerWord::fsai, .multigrid = may_be_multigrid, .ranks = true};
        const int device = device_of_rank(ranks);
        start.kernels = std::make_unique<EarlyKernels>(device, uses);
        start.gpu = std::make_unique<BackendStart>(BackendOptions{.choice = BackendChoice::cuda, .device = device},
                                                   [](auto& gpu) { warm_up<double>(gpu); });
    }
    return start;
}

/// compute_on() on GPUs, one a rank; by the first rank alone where it has all rows. Gives the rows of this rank.
/// Compiled in rank_*_cuda*.cpp (rank_gpus.hpp), or without CUDA in rank_without_cuda.cpp.
template <class T, class System, class Options, class Report>
HostVector<T> compute_on_gpus(TimedRanks& ranks, RankStart& start, System system, const Options& options,
                              Report& report, StatusLine& status);

/// On the backend asked for: gives the rows of this rank.
template <class T, class System, class Options, class Report>
HostVector<T> compute_on_ranks(TimedRanks& ranks, RankStart& start, System system, const Options& options,
                               Report& report, StatusLine& status) {
    if (start.on_gpus) return compute_on_gpus<T>(ranks, start, std::move(system), options, report, status);
    OpenMP& host = *start.host;
    if (options.backend == BackendChoice::serial) {
        Serial backend;
        report.backend = described(backend, host);
        return compute_on<T>(backend, ranks, ranks, host, std::move(system), options, report, status);
    }
    OpenMP backend(host.threads());
    report.backend = described(backend, host);
    return compute_on<T>(backend, ranks, ranks, host, std::move(system), options, report, status);
}

}  // namespace stiefel::cli
