#include "stiefel/cli/ranks/rank_device.hpp"
#include "stiefel/cli/ranks/rank_solve_impl.hpp"
#include "stiefel/world/cuda/cuda_world.hpp"
#include "stiefel/world/one_rank.hpp"

namespace stiefel::cli {

namespace {

HostVector<double> solve_on_gpu(Ranks& ranks, TimedRanks& timed, Cuda& backend, OpenMP& host, RankSystem system,
                                const SolveOptions& options, SolveReport& report, StatusLine& status) {
    CudaWorld gpus(ranks, backend);
    return solve_on(backend, gpus, timed, host, std::move(system), options, report, status);
}

}  // namespace

HostVector<double> solve_on_gpus(TimedRanks& ranks, OpenMP& host, RankSystem system, const SolveOptions& options,
                                 SolveReport& report, StatusLine& status) {
    std::optional<Cuda> backend;
    const int device = device_of_rank(ranks);
    together(ranks, [&] { backend.emplace(device); });
    check_devices_apart(ranks, *backend);
    report.backend = described(*backend, host);
    if (system.blocks.n_rows_of(0) < system.blocks.n_rows()) {
        return solve_on_gpu(ranks, ranks, *backend, host, std::move(system), options, report, status);
    }
    HostVector<double> x;
    by_first(ranks, [&] {
        OneRank alone;
        TimedRanks timed(alone);
        system.blocks = RowBlocks({0, system.blocks.n_rows()});
        x = solve_on_gpu(timed, timed, *backend, host, std::move(system), options, report, status);
    });
    return x;
}

}  // namespace stiefel::cli
