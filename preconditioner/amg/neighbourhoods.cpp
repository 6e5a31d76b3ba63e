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
    using Sizes = std::array<double, 5>;
    Sizes sizes(Index root, bool any_in_third) {
        std::vector<Index> ball{root};
        std::unordered_map<Index, bool> is_in{{root, true}};
        Sizes sizes{1};
        std::size_t begin = 0;
        for (std::size_t step = 1; step < sizes.size(); ++step) {
            const std::size_t end = ball.size();
            if (any_in_third && step == 3) begin = 0;  // weak couplings lead on from any node
            for (std::size_t b = begin; b < end && ball.size() < most_nodes; ++b) {
                for_neighbours(ball[b], any_in_third && step == 3, [&](Index j) {
                    if (is_in.emplace(j, true).second) ball.push_back(j);
                });
            }
            begin = end;
            sizes[step] = static_cast<double>(ball.size());
        }
        return sizes;
    }

private:
    static constexpr std::size_t most_nodes = 1000;  // a ball of so many is large enough to be judged

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

Neighbourhoods sample_neighbourhoods(const HostCsr<double>& a, const HostVector<double>& diagonal) {
    if (a.n_rows == 0) return {};
    return a.row_ptr.visit([&](const auto* row_ptr) {
        constexpr Index samples = 32;
        constexpr double golden = 0.6180339887498949;  // its multiples keep step with no lines or planes of a grid
        const Index count = std::min(samples, a.n_rows);
        Balls balls(a, row_ptr, diagonal);
        double aggregate = 0, near = 0, far = 0, coupled = 0;
        for (Index s = 0; s < count; ++s) {
            const auto root = static_cast<Index>(std::fmod((s + 1) * golden, 1.0) * a.n_rows);
            const auto strong = balls.sizes(root, false);
            aggregate += strong[1];
            near += strong[2];
            far += strong[4];
            coupled += balls.sizes(root, true)[4];
        }
        const double length = static_cast<double>(a.nnz()) / a.n_rows;
        aggregate /= count;
        return Neighbourhoods{.strong = aggregate - 1,
                              .dimension = std::log2(far / near),
                              .smoothed_growth = coupled / count / (aggregate * aggregate * length)};
    });
}

}  // namespace stiefel::amg
