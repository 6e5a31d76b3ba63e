#include "stiefel/cli/ranks/rank_solve.hpp"

#include "stiefel/cli/ranks/rank_course.hpp"
#include "stiefel/cli/ranks/rank_vectors.hpp"
#include "stiefel/cli/solve/solve_steps.hpp"
#include "stiefel/core/larger_or_nan.hpp"
#include "stiefel/solver/cg_options.hpp"
#include "stiefel/world/exchange.hpp"

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
    RankStart start = start_on_ranks(timed, options, [&] { check_solve_options(options); });
    RankSystem system = read_on_ranks(timed, *start.host, options, start.on_gpus, report, status);
    const RowBlocks blocks = system.blocks;
    const HostVector<Size> order = std::move(system.order);
    const Index k = system.n_columns;
    describe(system, options, report);
    const HostVector<double> here = compute_on_ranks(timed, start, std::move(system), options, report, status);

    if (options.rhs == "consistent" && report.n_begun() > 0) {
        double error = 0;
        for (const double of_rank : told_to_all(timed, max_error_against_ones(here)))
            error = larger_or_nan(error, of_rank);
        report.error = error;
    }
    double is_asked_for = options.output.empty() ? 0 : 1;  // of the first
    ranks.all_max(&is_asked_for, 1);
    if (is_asked_for == 0) return report;
    const HostVector<double> x = gathered(timed, blocks, order, here, k);
    if (ranks.rank() == 0) write_solution(x, options, report, status);
    return report;
}

}  // namespace stiefel::cli
