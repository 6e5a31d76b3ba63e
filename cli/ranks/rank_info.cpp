#include "stiefel/cli/ranks/rank_info.hpp"

#include "stiefel/cli/ranks/rank_course.hpp"
#include "stiefel/cli/ranks/rank_figures.hpp"
#include "stiefel/cli/ranks/rank_matrix.hpp"
#include "stiefel/world/exchange.hpp"
#include "stiefel/world/halo.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace stiefel::cli {

namespace {

/// Who would hold what of a square matrix.
std::shared_ptr<const RanksReport> shares(Ranks& ranks, OpenMP& host, const InfoOptions& options, StatusLine& status) {
    ComputationWords words;
    words.matrix = options.matrix;
    words.partition = options.partition;
    ComputationReport report;
    const RankMatrix matrix = read_matrix_on_ranks(ranks, host, words, "", untold_unknowns, Gpus::none, report, status);
    const Halo halo(ranks, matrix.blocks, matrix.rows.ghosts);
    const Size nnz = matrix.rows.own.nnz() + matrix.rows.beyond.nnz();
    return figures_of_all(ranks, matrix, figures_of(host, matrix.rows.own.n_rows, nnz, halo)).report;
}

/// Whether a solver could be asked to take the matrix, so that it can lie with several ranks.
bool can_be_shared(const MatrixInfo& matrix) {
    return matrix.square() && matrix.symmetry->symmetric_within_tolerance();
}

}  // namespace

InfoReport describe_on_ranks(Ranks& ranks, const InfoOptions& options, StatusLine& status) {
    by_first(ranks, [&] { check_rank_options(options); });
    by_first(ranks, [&] { check_info_options(options); });
    by_first(ranks, [&] {
        if (options.matrix == "-")
            throw UsageError("-: several ranks read the matrix twice; give a file, or leave mpirun out");
    });
    const int threads = threads_of_rank(ranks, options.trials);
    std::optional<OpenMP> host;
    together(ranks, [&] { host.emplace(threads); });
    InfoReport report;
    by_first(ranks, [&] { report = described(*host, options, status); });
    const bool is_shared = told_by_first(ranks, ranks.rank() == 0 && can_be_shared(report.matrix) ? 1 : 0) == 1;
    if (is_shared) report.ranks = shares(ranks, *host, options, status);
    return report;
}

}  // namespace stiefel::cli
