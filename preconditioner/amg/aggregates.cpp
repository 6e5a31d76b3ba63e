#include "stiefel/preconditioner/amg/aggregates.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace stiefel::amg {

namespace {

constexpr Index free_node = -1;

/// The three passes, with the strong neighbours of a node at hand.
template <class Offset>
class GreedyAggregation {
public:
    GreedyAggregation(const HostCsr<double>& a, const Offset* row_ptr, const Strength& is_strong)
        : a_(a), row_ptr_(row_ptr), is_strong_(is_strong), result_{HostVector<Index>(a.n_rows, free_node)} {}

    Aggregates run() {
        for (Index i = 0; i < a_.n_rows; ++i) {
            if (result_.of_node[i] == free_node && all_neighbours_free(i)) form(i);
        }
        join_neighbours();
        for (Index i = 0; i < a_.n_rows; ++i) {
            if (result_.of_node[i] == free_node) form(i);
        }
        return std::move(result_);
    }

private:
    /// f(j, value) for the strong neighbours j of i that are to be aggregated with it.
    template <class F>
    void for_neighbours(Index i, F&& f) const {
        for (Size k = row_ptr_[i]; k < row_ptr_[i + 1]; ++k) {
            const Index j = a_.col_idx[k];
            if (is_strong_[k] && j < a_.n_rows) f(j, a_.values[k]);
        }
    }

    /// Nodes without neighbours wait for the last pass.
    bool all_neighbours_free(Index i) const {
        Index neighbours = 0, taken = 0;
        for_neighbours(i, [&](Index j, double) {
            ++neighbours;
            taken += result_.of_node[j] != free_node;
        });
        return neighbours > 0 && taken == 0;
    }

    void form(Index i) {
        const Index aggregate = result_.count++;
        result_.of_node[i] = aggregate;
        for_neighbours(i, [&](Index j, double) {
            if (result_.of_node[j] == free_node) result_.of_node[j] = aggregate;
        });
    }

    /// Into aggregates of the first pass only: marked apart until all have chosen, so that no chains grow.
    void join_neighbours() {
        const auto joined = [](Index aggregate) { return -2 - aggregate; };
        for (Index i = 0; i < a_.n_rows; ++i) {
            if (result_.of_node[i] != free_node) continue;
            if (const Index aggregate = strongest_aggregate(i); aggregate >= 0) result_.of_node[i] = joined(aggregate);
        }
        for (Index& aggregate : result_.of_node.span()) {
            if (aggregate < free_node) aggregate = joined(aggregate);
        }
    }

    /// The one to whose nodes i is coupled most strongly in all, the first of those that rounding alone tells apart; or
    /// free_node. Not the one of the strongest single neighbour: on a layer that is left over at the edge of a grid all
    /// are coupled alike to several, and aggregates would grow ragged.
    Index strongest_aggregate(Index i) {
        couplings_.clear();
        for_neighbours(i, [&](Index j, double value) {
            const Index aggregate = result_.of_node[j];
            if (aggregate < 0) return;
            const auto same = std::find_if(couplings_.begin(), couplings_.end(),
                                           [&](const Coupling& known) { return known.aggregate == aggregate; });
            Coupling& coupling = same != couplings_.end() ? *same : couplings_.emplace_back(Coupling{aggregate, 0});
            coupling.sum += std::abs(value) * is_strong_.inverse_roots()[j];
        });
        constexpr double beyond_rounding = 1 + 1e-9;
        Coupling strongest{free_node, 0};
        for (const Coupling& coupling : couplings_) {
            if (coupling.sum > beyond_rounding * strongest.sum) strongest = coupling;
        }
        return strongest.aggregate;
    }

    struct Coupling {
        Index aggregate;
        double sum;
    };

    const HostCsr<double>& a_;
    const Offset* row_ptr_;
    const Strength& is_strong_;
    Aggregates result_;
    std::vector<Coupling> couplings_ = {};  // of the node at hand, to aggregates
};

}  // namespace

Aggregates greedy_aggregates(const HostCsr<double>& a, const Strength& is_strong) {
    return a.row_ptr.visit([&](const auto* row_ptr) { return GreedyAggregation(a, row_ptr, is_strong).run(); });
}

}  // namespace stiefel::amg
