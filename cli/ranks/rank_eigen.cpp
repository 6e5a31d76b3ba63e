#include "stiefel/cli/ranks/rank_eigen.hpp"

#include "stiefel/cli/eigen/eigen_pairs_impl.hpp"
#include "stiefel/cli/ranks/rank_course.hpp"
#include "stiefel/cli/ranks/rank_vectors.hpp"

#include <utility>

namespace stiefel::cli {

namespace {

/// From the matrix to vectors in the first rank's file.
template <class T>
void find_in(TimedRanks& ranks, RankStart& start, RankEigenproblem problem, const EigenCommandOptions& options,
             EigenReport& report, StatusLine& status) {
    const RowBlocks blocks = problem.blocks;
    const HostVector<Size> order = std::move(problem.order);
    const int exponent = problem.exponent;
    const HostVector<T> here = compute_on_ranks<T>(ranks, start, std::move(problem), options, report, status);
    scale_values(report.result, exponent);
    double is_asked_for = options.output.empty() ? 0 : 1;  // of the first
    ranks.all_max(&is_asked_for, 1);
    if (is_asked_for == 0) return;
    const HostVector<T> columns = gathered(ranks, blocks, order, here, static_cast<Index>(options.count));
    if (ranks.rank() == 0) write_vectors(columns, options, report, status);
}

}  // namespace

EigenReport find_eigenpairs_on_ranks(Ranks& ranks, const EigenCommandOptions& asked, StatusLine& status) {
    TimedRanks timed(ranks);
    EigenCommandOptions options = asked;
    EigenReport report;
    RankStart start = start_on_ranks(timed, options, [&] { check_eigen_options(options); });
    settle_degree(options);
    report.method = asked_method(options);
    RankEigenproblem problem{read_matrix_on_ranks(timed, *start.host, options, eigen_needs, untold_unknowns,
                                                  start.on_gpus ? Gpus::for_many : Gpus::none, report, status)};
    by_first(timed, [&] {
        check_count(problem.n_rows(), options);
        check_fits_file(problem.n_rows(), "--output", options.output);
    });
    problem.preconditioner = choose_preconditioner(problem.diagonal, problem.n_rows(), options);
    const auto find = options.precision == Precision::single ? find_in<float> : find_in<double>;
    find(timed, start, std::move(problem), options, report, status);
    return report;
}

}  // namespace stiefel::cli
