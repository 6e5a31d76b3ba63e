#include "stiefel/cli/ranks/rank_eigen.hpp"

#include "stiefel/cli/eigen/eigen_pairs_impl.hpp"
#include "stiefel/cli/ranks/rank_course.hpp"
#include "stiefel/cli/ranks/rank_preconditioning.hpp"
#include "stiefel/cli/ranks/rank_vectors.hpp"

#include <utility>

namespace stiefel::cli {

namespace {

/// As one process chooses, unless multigrid would be that of each rank's block: it would lead to their modes.
PreconditionerChoice choice_of_ranks(const RankMatrix& matrix, const EigenCommandOptions& options) {
    PreconditionerChoice choice = choose_preconditioner(matrix.diagonal, matrix.n_rows(), options);
    const bool is_ours = options.preconditioner == PreconditionerWord::automatic;
    if (!is_ours || choice.word != PreconditionerWord::amg) return choice;
    if (RankPreconditioning<Serial, double>::is_of_all(preconditioner_name(choice.word))) return choice;
    return without_amg(options, "amg would be of each rank's block");
}

}  // namespace

EigenReport find_eigenpairs_on_ranks(Ranks& ranks, const EigenCommandOptions& asked, StatusLine& status) {
    TimedRanks timed(ranks);
    EigenCommandOptions options = asked;
    EigenReport report;
    RankStart start = start_on_ranks(timed, options, [&] { check_eigen_options(options); });
    settle_degree(options);
    report.method = asked_method(options);
    RankEigenproblem problem{
        read_matrix_on_ranks(timed, *start.host, options, eigen_needs, start.on_gpus, report, status)};
    by_first(timed, [&] {
        check_count(problem.n_rows(), options);
        check_fits_file(problem.n_rows(), "--output", options.output);
    });
    problem.preconditioner = choice_of_ranks(problem, options);
    const RowBlocks blocks = problem.blocks;
    const HostVector<Size> order = std::move(problem.order);
    const HostVector<double> here = compute_on_ranks(timed, start, std::move(problem), options, report, status);
    double is_asked_for = options.output.empty() ? 0 : 1;  // of the first
    ranks.all_max(&is_asked_for, 1);
    if (is_asked_for == 0) return report;
    const HostVector<double> columns = gathered(timed, blocks, order, here, static_cast<Index>(options.count));
    if (ranks.rank() == 0) write_vectors(columns, options, report, status);
    return report;
}

}  // namespace stiefel::cli
