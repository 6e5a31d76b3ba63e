#include "stiefel/preconditioner/amg/neighbourhoods.hpp"

#include "stiefel/preconditioner/amg/strength.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <vector>

namespace stiefel::amg {

namespace {

/// Balls around nodes, found step by step.
template <class Offset>
class Balls {
public:
    Balls(const HostCsr<double>& a, const Offset* row_ptr, const HostVector<double>& diagonal)
        : a_(a), row_ptr_(row_ptr), diagonal_(diagonal) {}

    /// Nodes that up to 4 steps from a root lead to; any coupling counts in the third step if asked for.
    using Sizes = std::array<std::size_t, 5>;
    Sizes sizes(Index root, bool any_in_third) {
        std::vector<Index> ball{root};
        std::unordered_map<Index, bool> is_in{{root, true}};
        Sizes sizes{1};
        std::size_t begin = 0;
        for (std::size_t step = 1; step < sizes.size(); ++step) {
            const std::size_t end = ball.size();
            if (any_in_third && step == 3) begin = 0;  // weak couplings lead on from any node
            for (std::size_t b = begin; b < end && ball.size() < BallSums::most_nodes; ++b) {
                for_neighbours(ball[b], any_in_third && step == 3, [&](Index j) {
                    if (is_in.emplace(j, true).second) ball.push_back(j);
                });
            }
            begin = end;
            sizes[step] = std::min<std::size_t>(ball.size(), BallSums::most_nodes);
        }
        return sizes;
    }

private:
    template <class F>
    void for_neighbours(Index i, bool any, const F& f) {
        for (Size k = row_ptr_[i]; k < row_ptr_[i + 1]; ++k) {
            const Index j = a_.col_idx[k];
            if (j == i || a_.values[k] == 0) continue;
            if (any || coupling(i, k) >= Strength::theta * std::max(strongest(i), strongest(j))) f(j);
        }
    }
    double coupling(Index i, Size k) const {
        return std::abs(a_.values[k]) / std::sqrt(diagonal_[i] * diagonal_[a_.col_idx[k]]);
    }
    double strongest(Index i) {
        const auto [entry, is_new] = strongest_.emplace(i, 0.0);
        if (is_new) {
            for (Size k = row_ptr_[i]; k < row_ptr_[i + 1]; ++k) {
                if (a_.col_idx[k] != i) entry->second = std::max(entry->second, coupling(i, k));
            }
        }
        return entry->second;
    }

    const HostCsr<double>& a_;
    const Offset* row_ptr_;
    const HostVector<double>& diagonal_;
    std::unordered_map<Index, double> strongest_;
};

}  // namespace

Neighbourhoods neighbourhoods(const BallSums& sums, Index n, Size nnz) {
    if (n == 0) return {};
    const double count = BallSums::roots(n), length = static_cast<double>(nnz) / n;
    const double aggregate = static_cast<double>(sums.aggregate) / count;
    return {.strong = aggregate - 1,
            .dimension = std::log2(static_cast<double>(sums.far) / static_cast<double>(sums.near)),
            .smoothed_growth = static_cast<double>(sums.coupled) / count / (aggregate * aggregate * length)};
}

Neighbourhoods sample_neighbourhoods(const HostCsr<double>& a, const HostVector<double>& diagonal) {
    BallSums sums;
    a.row_ptr.visit([&](const auto* row_ptr) {
        Balls balls(a, row_ptr, diagonal);
        for (Index number = 0; number < BallSums::roots(a.n_rows); ++number) {
            const Index root = BallSums::root(number, a.n_rows);
            const auto strong = balls.sizes(root, false);
            sums.aggregate += strong[1];
            sums.near += strong[2];
            sums.far += strong[4];
            sums.coupled += balls.sizes(root, true)[4];
        }
    });
    return neighbourhoods(sums, a.n_rows, a.nnz());
}

Neighbourhoods of_all(World& world, const Neighbourhoods& here, Index n) {
    const double rows = n;
    double sums[]{rows, rows * here.strong, rows * here.dimension, rows * here.smoothed_growth};
    world.all_sum(sums, 4);
    const double all = std::max(sums[0], 1.0);
    return {.strong = sums[1] / all, .dimension = sums[2] / all, .smoothed_growth = sums[3] / all};
}

}  // namespace stiefel::amg
