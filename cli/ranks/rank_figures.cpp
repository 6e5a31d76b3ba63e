#include "stiefel/cli/ranks/rank_figures.hpp"

#include "stiefel/cli/machine.hpp"
#include "stiefel/cli/ranks/rank_threads.hpp"
#include "stiefel/world/exchange.hpp"

#include <limits>
#include <string>
#include <vector>

namespace stiefel::cli {

RankFigures figures_of(const OpenMP& host, Size rows, Size nnz, const Halo& halo) {
    constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();
    return {.threads = host.threads(),
            .rows = rows,
            .nnz = nnz,
            .ghosts = halo.n_ghosts(),
            .sent = halo.n_sent(),
            .neighbours = halo.n_neighbours(),
            .halo_seconds = not_measured,
            .sum_seconds = not_measured,
            .halo_bytes = halo.n_sent() * static_cast<Size>(sizeof(double)),
            .matrix_bytes = 0,
            .peak_memory_bytes = peak_memory_bytes()};
}

FiguresOfAll figures_of_all(Ranks& ranks, const RankMatrix& matrix, const RankFigures& here) {
    FiguresOfAll all{.report = std::make_shared<RanksReport>()};
    all.report->partition = matrix.partition;
    all.report->partition_reason = matrix.partition_reason;
    const std::vector<std::string> hosts = hosts_of(ranks);
    std::vector<RanksReport::Rank>& listed = all.report->ranks;
    for (const RankFigures& of : told_to_all(ranks, here)) {
        all.matrix_bytes += of.matrix_bytes;
        all.peak_memory_bytes += of.peak_memory_bytes;
        listed.push_back({.host = hosts[listed.size()],
                          .threads = of.threads,
                          .rows = of.rows,
                          .nnz = of.nnz,
                          .ghosts = of.ghosts,
                          .sent = of.sent,
                          .neighbours = of.neighbours,
                          .halo_seconds = of.halo_seconds,
                          .sum_seconds = of.sum_seconds,
                          .halo_bytes = of.halo_bytes,
                          .peak_memory_bytes = of.peak_memory_bytes});
    }
    return all;
}

}  // namespace stiefel::cli
