#pragma once

#include "stiefel/cli/interrupt.hpp"
#include "stiefel/cli/operator_input.hpp"
#include "stiefel/cli/ranks/rank_matrix.hpp"
#include "stiefel/cli/report/ranks_report.hpp"
#include "stiefel/world/halo.hpp"
#include "stiefel/world/timed_ranks.hpp"
#include "stiefel/world/world_operator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>

namespace stiefel::cli {

/// What a rank says of itself, for the report of the first.
struct RankFigures {
    int threads;
    Size rows, nnz, ghosts, sent;
    int neighbours;
    double halo_seconds, sum_seconds;
    Size halo_bytes, matrix_bytes, peak_memory_bytes;
};

/// Of a rank that has yet to multiply: what one product with a vector sends, no seconds, no bytes of a matrix.
RankFigures figures_of(const OpenMP& host, Size rows, Size nnz, const Halo&);

/// Of all ranks; the bytes are sums.
struct FiguresOfAll {
    std::shared_ptr<RanksReport> report;
    Size matrix_bytes = 0, peak_memory_bytes = 0;
};
/// Each tells all. All call it at once.
FiguresOfAll figures_of_all(Ranks&, const RankMatrix&, const RankFigures& here);

/// What the ranks have said to each other so far, in products with so many columns. GPUs do so within their kernels.
template <class B, class T>
TimedRanks::Spent spent_so_far(B&, Ranks&, const TimedRanks& timed, const WorldOperator<B, T>&, Index) {
    return timed.spent();
}
template <class T>
TimedRanks::Spent spent_so_far(Cuda& backend, CudaWorld& gpus, const TimedRanks&, const WorldOperator<Cuda, T>& a,
                               Index columns) {
    const CudaWorld::Waits waits = gpus.waits();
    return {.sums = waits.sums, .halo = waits.halos, .sent = a.boundary().bytes_sent(backend, columns)};
}

inline bool needs_hosts(const Ranks&) {
    return false;
}
inline bool needs_hosts(const CudaWorld& gpus) {
    return gpus.needs_hosts();
}

template <class B, class T>
void report_ranks(RanksOf<B>& ranks, const OpenMP& host, const RankMatrix& matrix, const WorldOperator<B, T>& a,
                  const TimedRanks::Spent& spent, ComputationReport& report) {
    RankFigures here = figures_of(host, a.n_rows(), a.nnz(), a.halo());
    here.halo_seconds = spent.halo;
    here.sum_seconds = spent.sums;
    here.halo_bytes = spent.sent;
    here.matrix_bytes = report.matrix.bytes;
    const FiguresOfAll all = figures_of_all(ranks, matrix, here);
    all.report->on_gpus = !HostBackend<B>;
    all.report->by_hosts = needs_hosts(ranks);
    all.report->element_bytes = sizeof(T);
    report.matrix.bytes = all.matrix_bytes;
    report.peak_memory_bytes = all.peak_memory_bytes;
    report.ranks = all.report;
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
