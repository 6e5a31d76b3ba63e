#include "stiefel/cli/ranks/rank_solve.hpp"

#include "stiefel/cli/machine.hpp"
#include "stiefel/cli/ranks/rank_device.hpp"
#include "stiefel/cli/ranks/rank_options.hpp"
#include "stiefel/cli/ranks/rank_threads.hpp"
#include "stiefel/cli/ranks/rank_vectors.hpp"
#include "stiefel/cli/ranks/together.hpp"
#include "stiefel/cli/solve/solve_steps.hpp"
#include "stiefel/solver/cg_options.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace stiefel::cli {

namespace {

/// What is computed with, for the report.
void describe(const RankSystem& system, const SolveOptions& options, SolveReport& report) {
    const auto word = system.preconditioner.word;
    report.method.preconditioner = word_of<PreconditionerWord>(word, preconditioner_choices());
    report.method.preconditioner_reason = system.preconditioner.reason;
    report.method.max_iterations =
        options.max_iterations >= 0 ? options.max_iterations : default_max_iterations(report.matrix.n_rows);
}

}  // namespace

SolveReport solve_on_ranks(Ranks& ranks, const SolveOptions& options, StatusLine& status) {
    TimedRanks timed(ranks);
    SolveReport report;
    report.method = asked_method(options);
    by_first(timed, [&] { check_rank_options(options); });
    by_first(timed, [&] { check_solve_options(options); });
    const int threads = threads_of_rank(timed, options);
    std::optional<OpenMP> host;
    together(timed, [&] { host.emplace(threads); });
    const bool on_gpus = takes_gpus(timed, options);
    RankSystem system = read_on_ranks(timed, *host, options, on_gpus, report, status);
    const RowBlocks blocks = system.blocks;
    const Index k = system.n_columns;
    describe(system, options, report);

    HostVector<double> here;
    if (on_gpus) {
        here = solve_on_gpus(timed, *host, std::move(system), options, report, status);
    } else if (options.backend == BackendChoice::serial) {
        Serial backend;
        report.backend = described(backend, *host);
        here = solve_on(backend, timed, timed, *host, std::move(system), options, report, status);
    } else {
        OpenMP backend(host->threads());
        report.backend = described(backend, *host);
        here = solve_on(backend, timed, timed, *host, std::move(system), options, report, status);
    }
    const HostVector<double> x = gathered(timed, blocks, here, k);
    if (ranks.rank() != 0) return report;
    if (options.rhs == "consistent" && report.n_begun() > 0) report.error = max_error_against_ones(x);
    write_solution(x, options, report, status);
    return report;
}

}  // namespace stiefel::cli
