#include "stiefel/cli/ranks/first_rank_factor.hpp"

#include "stiefel/cli/solve/cholesky_cost.hpp"
#include "stiefel/cli/solve/preconditioning.hpp"
#include "stiefel/preconditioner/amg/ranks/rank_gather.hpp"

#include <limits>

namespace stiefel::cli {

namespace {

/// Of an entry, until it is with the first rank (two ranks of one host).
constexpr double seconds_of_bringing = 1e-8;
/// Of L's nonzeros, in an application.
constexpr double seconds_of_nonzero = 1e-9;

}  // namespace

FirstRankFactor::FirstRankFactor(TimedRanks& ranks, RowBlocks blocks, const SplitRows<double>& rows, double iteration)
    : ranks_(ranks), blocks_(std::move(blocks)), rows_(rows), iteration_(iteration) {
    ranks_.all_max(&iteration_, 1);
    double sums[]{static_cast<double>(rows.nnz()), static_cast<double>(cholesky::rows_like_the_last(rows.own))};
    ranks_.all_sum(sums, 2);
    before_factor_ =
        seconds_of_bringing * sums[0] + seconds_before_factor(static_cast<Index>(blocks_.n_rows()),
                                                              static_cast<Size>(sums[0]), static_cast<Index>(sums[1]));
}

PreconditionerAdvisor::Strong FirstRankFactor::to_follow() {
    return {.name = ListedCholesky::name,
            .cost = {.iterations = before_factor_ / iteration_},
            .closer = [this](double expected, bool at_least) { return closer(expected, at_least); },
            .from = iterations_before_cholesky};
}

PreconditionerAdvisor::Estimate FirstRankFactor::closer(double expected, bool at_least) {
    const TimedRanks::Uncounted set_up(ranks_);  // within a solve
    try {
        const auto [left, is_exact] = seconds_of_cholesky(
            before_factor_, expected * iteration_, at_least, known_size_, [&] { return graph_size(); },
            [&] { return prediction(); });
        return {{.iterations = left / iteration_}, is_exact};
    } catch (const RankFault&) {  // there is no room for it
        return {{.iterations = std::numeric_limits<double>::infinity()}, false};
    }
}

double FirstRankFactor::graph_size() {
    whole_ = amg::matrix_of_first(ranks_, blocks_, rows_);
    double size = 0;
    by_first(ranks_, [&] {
        groups_ = cholesky::compressed_graph(whole_);
        size = vertices_and_couplings(groups_->graph);
    });
    return told_by_first(ranks_, size);
}

cholesky::Prediction FirstRankFactor::prediction() {
    cholesky::Prediction found;
    by_first(ranks_, [&] {
        analysis_ = std::make_unique<cholesky::Analysis>(*std::exchange(groups_, {}));
        found = analysis_->prediction();
    });
    found = told_by_first(ranks_, found);
    application_ = seconds_of_nonzero * found.nonzeros;
    return found;
}

}  // namespace stiefel::cli
