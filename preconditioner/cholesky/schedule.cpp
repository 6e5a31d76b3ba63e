#include "stiefel/preconditioner/cholesky/schedule.hpp"

#include <algorithm>
#include <queue>
#include <utility>

namespace stiefel::cholesky {

namespace {

/// What a supernode costs, in flops of its dense kernels: its entries, and itself, count as well.
double cost_of(const Symbolic& symbolic, Index s) {
    constexpr double of_entry = 30, of_supernode = 10000;
    const double w = symbolic.width(s), h = symbolic.height(s);
    return w * w * w / 3 + w * w * h + w * h * h + of_entry * (w * (w + h) + h * h / 2) + of_supernode;
}

}  // namespace

Schedule make_schedule(const Symbolic& symbolic, int threads) {
    constexpr double parts_of_thread = 8;
    const Index n = symbolic.size();
    std::vector<double> cost(static_cast<std::size_t>(n));
    const auto of = [&](Index s) -> double& { return cost[static_cast<std::size_t>(s)]; };
    std::priority_queue<std::pair<double, Index>> heaviest;
    double total = 0;
    for (Index s = 0; s < n; ++s) {
        const double own = cost_of(symbolic, s);
        of(s) += own;
        total += own;
        if (symbolic.parent[s] != -1) of(symbolic.parent[s]) += of(s);
    }
    for (Index s = 0; s < n; ++s) {
        if (symbolic.parent[s] == -1) heaviest.emplace(of(s), s);
    }
    Schedule schedule{.threads = threads};
    const double most = threads == 1 ? total : total / (parts_of_thread * threads);
    while (!heaviest.empty()) {
        const auto [seconds, s] = heaviest.top();
        heaviest.pop();
        if (seconds <= most || symbolic.first_child[s] == -1) {
            schedule.subtrees.push_back(s);
            continue;
        }
        schedule.top.push_back(s);
        for (Index c = symbolic.first_child[s]; c != -1; c = symbolic.next_sibling[c]) heaviest.emplace(of(c), c);
    }
    std::sort(schedule.top.begin(), schedule.top.end());
    return schedule;
}

}  // namespace stiefel::cholesky
