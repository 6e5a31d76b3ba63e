#pragma once

#include "stiefel/cli/operator_input.hpp"
#include "stiefel/cli/ranks/rank_course.hpp"
#include "stiefel/cli/ranks/rank_device.hpp"
#include "stiefel/cli/ranks/together.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/world/cuda/cuda_world.hpp"
#include "stiefel/world/one_rank.hpp"
#include "stiefel/world/row_blocks.hpp"
#include "stiefel/world/timed_ranks.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace stiefel::cli {

template <class T, class System, class Options, class Report>
HostVector<T> compute_on_gpus(TimedRanks& ranks, RankStart& start, System system, const Options& options,
                              Report& report, StatusLine& status) {
    OpenMP& host = *start.host;
    std::unique_ptr<Cuda> backend;
    together(ranks, [&] { backend = start.gpu->take_cuda(); });
    check_devices_apart(ranks, *backend);
    report.backend = described(*backend, host);
    const auto compute = [&](TimedRanks& timed) {
        CudaWorld gpus(timed, *backend);
        return compute_on<T>(*backend, gpus, timed, host, std::move(system), options, report, status);
    };
    if (system.blocks.n_rows_of(0) < system.n_rows()) return compute(ranks);
    HostVector<T> x;
    by_first(ranks, [&] {
        OneRank alone;
        TimedRanks timed(alone);
        system.blocks = RowBlocks(std::vector<Size>{0, system.n_rows()});
        x = compute(timed);
    });
    return x;
}

}  // namespace stiefel::cli
