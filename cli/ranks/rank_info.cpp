#include "stiefel/cli/ranks/rank_info.hpp"

#include "stiefel/cli/machine.hpp"
#include "stiefel/cli/ranks/rank_course.hpp"
#include "stiefel/cli/ranks/rank_matrix.hpp"
#include "stiefel/world/exchange.hpp"
#include "stiefel/world/halo.hpp"

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stiefel::cli {

namespace {

/// Who would hold what of a square matrix.
std::shared_ptr<const RanksReport> shares(Ranks& ranks, OpenMP& host, const InfoOptions& options, StatusLine& status) {
    constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();
    ComputationWords words;
    words.matrix = options.matrix;
    words.partition = options.partition;
    ComputationReport report;
    const RankMatrix matrix = read_matrix_on_ranks(ranks, host, words, "", false, report, status);
    const Halo halo(ranks, matrix.blocks, matrix.rows.ghosts);
    struct Share {
        int threads;
        Size rows, nnz, ghosts, sent;
        int neighbours;
        Size peak_memory_bytes;
    };
    const Share here{.threads = host.threads(),
                     .rows = matrix.rows.own.n_rows,
                     .nnz = matrix.rows.own.nnz() + matrix.rows.beyond.nnz(),
                     .ghosts = halo.n_ghosts(),
                     .sent = halo.n_sent(),
                     .neighbours = halo.n_neighbours(),
                     .peak_memory_bytes = peak_memory_bytes()};
    const std::vector<std::string> hosts = hosts_of(ranks);
    auto all = std::make_shared<RanksReport>();
    all->partition = matrix.partition;
    all->partition_reason = matrix.partition_reason;
    for (const Share& of : told_to_all(ranks, here)) {
        all->ranks.push_back({.host = hosts[all->ranks.size()],
                              .threads = of.threads,
                              .rows = of.rows,
                              .nnz = of.nnz,
                              .ghosts = of.ghosts,
                              .sent = of.sent,
                              .neighbours = of.neighbours,
                              .halo_seconds = not_measured,
                              .sum_seconds = not_measured,
                              .halo_bytes = of.sent * static_cast<Size>(sizeof(double)),
                              .peak_memory_bytes = of.peak_memory_bytes});
    }
    return all;
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
