#include "stiefel/spmv/trial.hpp"

#include "stiefel/core/timing.hpp"

#include <algorithm>
#include <numeric>

namespace stiefel {

namespace {

constexpr double least_gain = 1.05;  // less is noise, and not worth another format

}  // namespace

double fastest(std::span<const std::vector<double>> seconds, std::size_t contestant) {
    double best = seconds.front()[contestant];
    for (const auto& round : seconds) best = std::min(best, round[contestant]);
    return best;
}

double seconds_of(std::string_view, const std::function<void()>& product) {
    const Stopwatch watch;
    product();
    return watch.seconds();
}

Contest plan_contest(std::span<const double> costs, double budget, double timing) {
    std::vector<std::size_t> order(costs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return costs[a] < costs[b]; });
    Contest contest;
    double rounds_cost = 0;
    for (std::size_t candidate : order) {
        if (costs[candidate] > worth_a_trial * costs[order.front()]) break;
        rounds_cost += (counted_rounds + 1) * (costs[candidate] + timing);
        contest.too_costly = !contest.contestants.empty() && rounds_cost > budget;
        if (contest.too_costly) break;
        contest.contestants.push_back(candidate);
    }
    return contest;
}

std::size_t winner(std::span<const std::vector<double>> seconds) {
    std::size_t best = 0;
    for (std::size_t challenger = 1; challenger < seconds.front().size(); ++challenger) {
        const bool gains_every_time = std::all_of(seconds.begin(), seconds.end(), [&](const auto& round) {
            return least_gain * round[challenger] < round[0];
        });
        if (gains_every_time && (best == 0 || fastest(seconds, challenger) < fastest(seconds, best))) best = challenger;
    }
    return best;
}

std::vector<std::vector<double>> take_turns(std::span<const std::string> names,
                                            std::span<const std::function<void()>> products,
                                            const ProductTimer& timer) {
    const auto run_round = [&] {
        std::vector<double> round;
        for (std::size_t k = 0; k < products.size(); ++k) round.push_back(timer(names[k], products[k]));
        return round;
    };
    run_round();
    std::vector<std::vector<double>> seconds;
    do {
        seconds.push_back(run_round());
    } while (seconds.size() < counted_rounds && winner(seconds) != 0);
    return seconds;
}

}  // namespace stiefel
