#pragma once

#include "stiefel/cli/ranks/rank_figures.hpp"
#include "stiefel/cli/ranks/rank_operator.hpp"
#include "stiefel/cli/ranks/rank_solve.hpp"
#include "stiefel/cli/solve/prepared_system.hpp"
#include "stiefel/cli/solve/solve_columns.hpp"
#include "stiefel/cli/solve/solve_steps.hpp"
#include "stiefel/solver/cg.hpp"

#include <utility>

namespace stiefel::cli {

template <class T, class B>
HostVector<T> compute_on(B& backend, RanksOf<B>& ranks, TimedRanks& timed, OpenMP& host, RankSystem system,
                         const SolveOptions& options, SolveReport& report, StatusLine& status) {
    Stopwatch watch;
    const Index width = columns_at_once(options, system.n_columns);
    const PreconditionerOptions how{.amg = amg_setup(options.amg, system.block_size, system.coordinates),
                                    .block_jacobi = options.block_jacobi,
                                    .fsai = options.fsai,
                                    .ic = options.ic,
                                    .ssor = options.ssor};
    const bool is_automatic = options.preconditioner == PreconditionerWord::automatic;
    RankOperator<B, T> made(backend, ranks, timed, host, system);
    if (is_automatic) made.may_give_way(how.amg);
    made.prepare(preconditioner_name(system.preconditioner.word), how, width);
    report.seconds.setup += watch.restart();
    status.show("choosing format and kernel");
    made.bind(width, options, report);
    watch.restart();
    const WorldOperator<B, T>& a = made.a();
    HostColumns<T> columns{.n = a.n_rows(),
                           .k = system.n_columns,
                           .b = in_precision<T>(std::move(system.b)),
                           .guess = in_precision<T>(std::move(system.guess)),
                           .matrix_norm = system.norm};
    if (options.rhs == "consistent") columns.b = taken_from(backend, consistent_rhs<T>(backend, a, columns.n));
    HostVector<T> x(columns.n * columns.k);
    report.seconds.setup += watch.seconds();
    status.clear();

    InterruptGuard::protect();
    const TimedRanks::Spent before = spent_so_far(backend, ranks, timed, a, width);
    solve_columns(backend, a, made.m(), columns, x, options, report, status);
    const TimedRanks::Spent spent = spent_so_far(backend, ranks, timed, a, width) - before;
    status.clear();
    report.seconds.solve = report.result.seconds;
    report.preconditioner = made.m().details();
    report.weighed = made.m().weighed();
    if (is_automatic) report.method.preconditioner = std::string(made.m().name());
    append_reason(made.m().reason(), report.method.preconditioner_reason);
    const Size bytes_here = report.matrix.bytes;
    report_ranks(ranks, host, system, a, spent, report);
    try_bandwidth_of_ranks(timed, backend, bytes_here, report.result.iterations, report);
    return x;
}

}  // namespace stiefel::cli
