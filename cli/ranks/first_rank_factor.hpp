#pragma once

#include "stiefel/cli/ranks/in_precision.hpp"
#include "stiefel/cli/ranks/together.hpp"
#include "stiefel/cli/solve/preconditioner_advisor.hpp"
#include "stiefel/preconditioner/any_preconditioner.hpp"
#include "stiefel/preconditioner/cholesky/cholesky.hpp"
#include "stiefel/preconditioner/of_all_by_first.hpp"
#include "stiefel/world/timed_ranks.hpp"
#include "stiefel/world/world_matrix.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace stiefel::cli {

/// A complete factorisation of all rows by the first of several ranks, which `auto` may go on with where rows are few:
/// they are brought there, and analysed, only where that may repay. Made and asked by all ranks at once, each with its
/// rows; all are told the same.
class FirstRankFactor {
public:
    /// The rows outlive this object. iteration: seconds that one of the light preconditioner is expected to take in
    /// this rank.
    FirstRankFactor(TimedRanks& ranks, RowBlocks blocks, const SplitRows<double>& rows, double iteration);

    /// Costs are in iterations of the light one. It asks this object, which does not move meanwhile.
    PreconditionerAdvisor::Strong to_follow();

    /// After it was looked at more closely. What goes wrong is RankFault in all ranks.
    template <HostBackend B, class T>
    AnyPreconditioner<B, T> made(B& backend, Index columns) {
        const TimedRanks::Uncounted set_up(ranks_);  // within a solve
        using M = Cholesky<B, T>;
        std::optional<M> m;
        by_first(ranks_, [&] {
            const OutsideWorld alone(backend);
            const HostCsr<T> whole = in_precision<T>(std::move(whole_));
            m.emplace(backend, whole, analysis_.get());
        });
        shift_ = told_by_first(ranks_, m ? m->details().factorisation->shift : 0.0);
        OfAllByFirst<B, T, M> of_all(ranks_, blocks_, std::move(m));
        together(ranks_, [&] { of_all.reserve(backend, columns); });
        return AnyPreconditioner<B, T>(std::move(of_all));
    }

    /// Of diag(A), added to A so that there is a factor.
    double shift() const { return shift_; }
    /// That one with the factor takes, in those of the light one.
    double iterations_of_one() const { return 1 + application_ / iteration_; }

private:
    PreconditionerAdvisor::Estimate closer(double expected, bool at_least);
    double graph_size();
    cholesky::Prediction prediction();

    TimedRanks& ranks_;
    RowBlocks blocks_;
    const SplitRows<double>& rows_;
    double iteration_, before_factor_ = 0, application_ = 0, shift_ = 0;  // seconds, but for the shift
    std::optional<double> known_size_ = {};
    // In the first rank: all rows, once they are brought there, and what is found of them.
    HostCsr<double> whole_ = {};
    std::optional<cholesky::CompressedGraph> groups_ = {};
    std::unique_ptr<cholesky::Analysis> analysis_ = {};
};

}  // namespace stiefel::cli
