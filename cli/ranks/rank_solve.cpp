#include "stiefel/cli/ranks/rank_solve.hpp"

#include "stiefel/cli/ranks/rank_course.hpp"
#include "stiefel/cli/ranks/rank_vectors.hpp"
#include "stiefel/cli/solve/solve_steps.hpp"
#include "stiefel/core/larger_or_nan.hpp"
#include "stiefel/solver/cg_options.hpp"
#include "stiefel/world/exchange.hpp"

#include <cmath>
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

/// From the system to x in the first rank's file.
template <class T>
void solve_in(TimedRanks& ranks, RankStart& start, RankSystem system, const SolveOptions& options, SolveReport& report,
              StatusLine& status) {
    const RowBlocks blocks = system.blocks;
    const HostVector<Size> order = std::move(system.order);
    const Index k = system.n_columns;
    const int exponent = system.exponent;
    SolveOptions scaled = options;
    scaled.atol = std::ldexp(options.atol, -exponent);
    const HostVector<T> here = compute_on_ranks<T>(ranks, start, std::move(system), scaled, report, status);
    scale_norms(exponent, report);

    if (options.rhs == "consistent" && report.n_begun() > 0) {
        double error = 0;
        for (const double of_rank : told_to_all(ranks, max_error_against_ones(here)))
            error = larger_or_nan(error, of_rank);
        report.error = error;
    }
    double is_asked_for = options.output.empty() ? 0 : 1;  // of the first
    ranks.all_max(&is_asked_for, 1);
    if (is_asked_for == 0) return;
    const HostVector<T> x = gathered(ranks, blocks, order, here, k);
    if (ranks.rank() == 0) write_solution(x, options, report, status);
}

}  // namespace

SolveReport solve_on_ranks(Ranks& ranks, const SolveOptions& options, StatusLine& status) {
    TimedRanks timed(ranks);
    SolveReport report;
    report.method = asked_method(options);
    RankStart start = start_on_ranks(timed, options, [&] { check_solve_options(options); });
    RankSystem system = read_on_ranks(timed, *start.host, options, start.on_gpus, report, status);
    describe(system, options, report);
    const auto solve = options.precision == Precision::single ? solve_in<float> : solve_in<double>;
    solve(timed, start, std::move(system), options, report, status);
    return report;
}

}  // namespace stiefel::cli
