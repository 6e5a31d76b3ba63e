#pragma once

#include "stiefel/cli/interrupt.hpp"
#include "stiefel/cli/machine.hpp"
#include "stiefel/cli/operator_input.hpp"
#include "stiefel/cli/ranks/rank_matrix.hpp"
#include "stiefel/cli/ranks/rank_threads.hpp"
#include "stiefel/cli/report/ranks_report.hpp"
#include "stiefel/world/exchange.hpp"
#include "stiefel/world/timed_ranks.hpp"
#include "stiefel/world/world_operator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace stiefel::cli {

/// What a rank says of itself, for the report of the first.
struct RankFigures {
    int threads;
    Size rows, nnz, ghosts, sent;
    int neighbours;
    double halo_seconds, sum_seconds;
    Size halo_bytes, matrix_bytes, peak_memory_bytes;
};

/// What the ranks said to each other during a solve. GPUs do so within their kernels: only the bytes are known.
template <class B>
TimedRanks::Spent spent_by(B&, const WorldOperator<B, double>&, const TimedRanks::Spent& by_hosts, Index) {
    return by_hosts;
}
inline TimedRanks::Spent spent_by(Cuda& backend, const WorldOperator<Cuda, double>& a, const TimedRanks::Spent&,
                                  Index columns) {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    return {.sums = unknown, .halo = unknown, .sent = a.boundary().bytes_sent(backend, columns)};
}

template <class B>
void report_ranks(Ranks& ranks, const OpenMP& host, const RankMatrix& matrix, const WorldOperator<B, double>& a,
                  const TimedRanks::Spent& spent, ComputationReport& report) {
    const Halo& halo = a.halo();
    const RankFigures here{.threads = host.threads(),
                           .rows = a.n_rows(),
                           .nnz = a.nnz(),
                           .ghosts = halo.n_ghosts(),
                           .sent = halo.n_sent(),
                           .neighbours = halo.n_neighbours(),
                           .halo_seconds = spent.halo,
                           .sum_seconds = spent.sums,
                           .halo_bytes = spent.sent,
                           .matrix_bytes = report.matrix.bytes,
                           .peak_memory_bytes = peak_memory_bytes()};
    auto all = std::make_shared<RanksReport>();
    all->partition = matrix.partition;
    all->partition_reason = matrix.partition_reason;
    all->on_gpus = !HostBackend<B>;
    const std::vector<std::string> hosts = hosts_of(ranks);
    report.matrix.bytes = report.peak_memory_bytes = 0;
    for (const RankFigures& of : told_to_all(ranks, here)) {
        report.matrix.bytes += of.matrix_bytes;
        report.peak_memory_bytes += of.peak_memory_bytes;
        all->ranks.push_back({.host = hosts[all->ranks.size()],
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
    report.ranks = all;
}

/// The rate of the memory that one rank's kernels are measured by, read by all at once.
template <class B>
void try_bandwidth_of_ranks(Ranks& ranks, const B& backend, Size bytes_here, Size iterations,
                            ComputationReport& report) {
    double wanted = InterruptGuard::requested() ? 1 : 0;
    ranks.all_max(&wanted, 1);
    if (iterations == 0 || wanted != 0 || fits_in_cache(backend, report.matrix.bytes)) return;
    const Stopwatch watch;
    try {
        report.read_bandwidth = measured_bandwidth(backend, std::max<Size>(bytes_here, Size{4} << 20));
    } catch (const std::exception& problem) {
        report.notes.push_back(fmt::format("the read bandwidth could not be measured: {}", message_of(problem)));
    }
    report.seconds.bandwidth = watch.seconds();
}

}  // namespace stiefel::cli
