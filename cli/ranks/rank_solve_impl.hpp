#pragma once

#include "stiefel/cli/operator_input.hpp"
#include "stiefel/cli/ranks/rank_preconditioning.hpp"
#include "stiefel/cli/ranks/rank_solve.hpp"
#include "stiefel/cli/ranks/rank_threads.hpp"
#include "stiefel/cli/ranks/together.hpp"
#include "stiefel/cli/report/ranks_report.hpp"
#include "stiefel/cli/solve/iteration_cost.hpp"
#include "stiefel/cli/solve/preconditioning.hpp"
#include "stiefel/cli/solve/solve_columns.hpp"
#include "stiefel/cli/solve/solve_steps.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/world/exchange.hpp"

#include <limits>
#include <memory>
#include <optional>
#include <utility>
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
void report_ranks(Ranks& ranks, const OpenMP& host, const RankSystem& system, const WorldOperator<B, double>& a,
                  const TimedRanks::Spent& spent, SolveReport& report) {
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
    all->partition = "blocks";
    all->partition_reason = system.partition_reason;
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
void try_bandwidth_of_ranks(Ranks& ranks, const B& backend, Size bytes_here, SolveReport& report) {
    double wanted = InterruptGuard::requested() ? 1 : 0;
    ranks.all_max(&wanted, 1);
    if (report.result.iterations == 0 || wanted != 0 || fits_in_cache(backend, report.matrix.bytes)) return;
    const Stopwatch watch;
    try {
        report.read_bandwidth = measured_bandwidth(backend, std::max<Size>(bytes_here, Size{4} << 20));
    } catch (const std::exception& problem) {
        report.notes.push_back(fmt::format("the read bandwidth could not be measured: {}", message_of(problem)));
    }
    report.seconds.bandwidth = watch.seconds();
}

/// Entries of the host where the backend computes.
template <HostBackend B>
HostCsr<double> brought_to(B&, HostCsr<double> here) {
    return here;
}
inline DeviceCsr<double> brought_to(Cuda& backend, const HostCsr<double>& here) {
    return to_device(backend, here);
}
template <HostBackend B>
HostVector<double> taken_from(B&, HostVector<double> there) {
    return there;
}
inline HostVector<double> taken_from(Cuda& backend, const DeviceVector<double>& there) {
    HostVector<double> here(there.size());
    download(backend, there, here);
    return here;
}

/// Whether `auto` may go on with multigrid: as in one process.
inline bool suits_shared_amg(const RankSystem& system, const amg::SetupOptions& options) {
    return system.blocks.n_rows() > rows_without_amg && options.smoother == amg::SetupOptions().smoother;
}

/// What it costs, in iterations that are expected to take so many seconds. Beside GPUs its set-up by the cores of the
/// hosts counts, some 5e-8 s an entry (H200s, 16 cores each).
template <class B>
PreconditionerAdvisor::Cost cost_of_shared_amg(B& backend, Size nnz, double iteration_seconds) {
    if constexpr (HostBackend<B>) return cost_of_amg<B>;
    constexpr double seconds_of_entry = 5e-8;
    const double setup = seconds_of_entry * static_cast<double>(nnz) / iteration_seconds;
    return {.iterations = cost_of_amg<B>.iterations + agreed(backend, setup)};
}

template <class B>
HostVector<double> solve_on(B& backend, RanksOf<B>& ranks, TimedRanks& timed, OpenMP& host, RankSystem system,
                            const SolveOptions& options, SolveReport& report, StatusLine& status) {
    using Preconditioner = RankPreconditioning<B, double>;
    Stopwatch watch;
    const Index width = columns_at_once(options, system.n_columns);
    const std::string_view name = preconditioner_name(system.preconditioner.word);
    std::optional<Preconditioner> preconditioning;
    std::optional<SpmvOperator<B, double>> own;
    PreconditionerOptions how;
    together(ranks, [&] {
        how = {.amg = amg_setup(options.amg, {}, system.rows.own.n_rows),
               .block_jacobi = options.block_jacobi,
               .fsai = options.fsai,
               .ic = options.ic,
               .ssor = options.ssor};
    });
    const bool is_shared = ranks.size() > 1;
    const MultigridSetup<B> multigrid{&ranks, &host, system.blocks, how.amg, width};
    const bool may_share =
        is_shared && options.preconditioner == PreconditionerWord::automatic && suits_shared_amg(system, how.amg);
    if (is_shared && name == ListedAmg::name) {
        together(ranks, [&] { check_shared_amg(system.rows, system.blocks.first(ranks.rank()), how.amg); });
        status.show("setting up multigrid");
        preconditioning.emplace(backend, multigrid, system.rows);
    }
    std::optional<SplitRows<double>> entries;  // kept while multigrid may be made of them
    together(ranks, [&] {
        const RowStatistics rows = row_statistics(host, system.rows.own);
        if (may_share) entries = copy_of(system.rows);
        auto csr = brought_to(backend, std::move(system.rows.own));
        if (!preconditioning) preconditioning.emplace(backend, name, csr, how);
        report.seconds.setup += watch.restart();
        status.show("choosing format and kernel");
        own = chosen_operator<double>(backend, std::move(csr), rows, width, options, report);
        report.seconds.convert += watch.restart();
    });
    const WorldOperator<B, double> a(backend, ranks, system.blocks, std::move(*own), std::move(system.rows));
    together(ranks, [&] { preconditioning->bind(backend, a.own(), width); });
    backend.join(ranks);
    preconditioning->bind_to_all(backend, a, width);
    if (entries) {
        const double iteration = expected_iteration_seconds(a.own(), preconditioning->now(), width);
        preconditioning->may_give_way(multigrid, std::move(*entries), cost_of_shared_amg(backend, a.nnz(), iteration));
    }
    if (!Preconditioner::is_of_all(name) && !backend.is_alone())
        report.method.preconditioner_reason = "of each rank's block of the diagonal";
    HostColumns<double> columns{.n = a.n_rows(),
                                .k = system.n_columns,
                                .b = std::move(system.b),
                                .guess = std::move(system.guess),
                                .matrix_norm = system.norm};
    if (options.rhs == "consistent") columns.b = taken_from(backend, consistent_rhs<double>(backend, a, columns.n));
    HostVector<double> x(columns.n * columns.k);
    report.seconds.setup += watch.seconds();
    status.clear();

    InterruptGuard::protect();
    const TimedRanks::Spent before = timed.spent();
    solve_columns(backend, a, *preconditioning, columns, x, options, report, status);
    const TimedRanks::Spent spent = spent_by(backend, a, timed.spent() - before, width);
    status.clear();
    report.seconds.solve = report.result.seconds;
    report.preconditioner = preconditioning->details();
    if (may_share) {
        report.method.preconditioner = std::string(preconditioning->name());
        if (const std::string reason = preconditioning->reason(); !reason.empty())
            report.method.preconditioner_reason = reason;
    }
    const Size bytes_here = report.matrix.bytes;
    report_ranks(ranks, host, system, a, spent, report);
    try_bandwidth_of_ranks(ranks, backend, bytes_here, report);
    return x;
}

}  // namespace stiefel::cli
