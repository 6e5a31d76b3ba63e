#pragma once

#include "stiefel/cli/eigen/eigen_pairs_impl.hpp"
#include "stiefel/cli/ranks/rank_eigen.hpp"
#include "stiefel/cli/ranks/rank_figures.hpp"
#include "stiefel/cli/ranks/rank_operator.hpp"

#include <algorithm>
#include <utility>

namespace stiefel::cli {

/// Prepares the preconditioner chosen; another where the choice was ours and the set-up finds that it does not serve.
template <class B, class T>
void prepare_chosen(RankOperator<B, T>& made, const EigenCommandOptions& options, Index block,
                    PreconditionerChoice& choice) {
    const auto prepare = [&] {
        const bool is_listed = choice.word != PreconditionerWord::shifted_chebyshev;
        made.prepare(is_listed ? preconditioner_name(choice.word) : "none", {}, block);
    };
    try {
        prepare();
    } catch (const RankFault&) {
        if (options.preconditioner != PreconditionerWord::automatic) throw;
        choice = without_amg(options, "amg cannot be set up for it");
        prepare();
    }
}

template <class T, class B>
HostVector<T> compute_on(B& backend, RanksOf<B>& ranks, TimedRanks& timed, OpenMP& host, RankEigenproblem problem,
                         const EigenCommandOptions& options, EigenReport& report, StatusLine& status) {
    Stopwatch watch;
    RankOperator<B, T> made(backend, ranks, timed, host, problem);
    PreconditionerChoice& choice = problem.preconditioner;
    const Index block = block_of_search(problem.n_rows(), options);
    report.method.guards = block - options.count;
    prepare_chosen(made, options, block, choice);
    report_preconditioner(choice, options, report.method);
    report.seconds.setup += watch.restart();
    status.show("choosing format and kernel");
    made.bind(std::min(block, max_spmm_columns), options, report);
    report.preconditioner = made.m().details();
    status.clear();

    InterruptGuard::protect();
    const WorldOperator<B, T>& a = made.a();
    const TimedRanks::Spent before = spent_so_far(backend, ranks, timed, a, block);
    watch.restart();
    const HostVector<T> vectors =
        run_search<T>(backend, a, made.m().now(), a.n_rows(), choice, options, report, status);
    const TimedRanks::Spent spent = spent_so_far(backend, ranks, timed, a, block) - before;
    report.seconds.solve = watch.seconds();  // with all that ranks say to each other
    status.clear();
    const Size bytes_here = report.matrix.bytes;
    report_ranks(ranks, host, problem, a, spent, report);
    try_bandwidth_of_ranks(timed, backend, bytes_here, report.result.iterations, report);
    return by_columns(vectors, options.count);
}

}  // namespace stiefel::cli
