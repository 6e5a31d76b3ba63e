#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Which of several ways to compute a product is taken: a model says what to expect, and a trial may correct it where
// the model sees little between them. The clock can be another than this machine's, so that decisions can be tested.

namespace stiefel {

/// Runs a product, called by the name of its kernel ("sell/simd"), and returns the seconds it took.
using ProductTimer = std::function<double(std::string_view name, const std::function<void()>& product)>;

/// By the wall.
double seconds_of(std::string_view name, const std::function<void()>& product);

/// Rounds of a trial that count, at most; one more, the first, brings code and data into the caches.
inline constexpr int counted_rounds = 3;

/// Times the best that the model expects: it is no better than that.
inline constexpr double worth_a_trial = 1.25;

/// Which of the candidates a trial would have to measure, cheapest first; the first is the model's choice.
struct Contest {
    std::vector<std::size_t> contestants;
    bool too_costly = false;  ///< one more may win, but not for what its trial would take
};

/// costs: what a product takes by each candidate, in a unit of their own; in the same `budget`, and what timing a
/// product takes beside it. A contestant is expected within a quarter of the best, and all their rounds together take
/// no more than the budget.
Contest plan_contest(std::span<const double> costs, double budget, double timing = 0);

/// The fastest round of a contestant.
double fastest(std::span<const std::vector<double>> seconds, std::size_t contestant);

/// The contestant to take, by seconds[round][contestant] of the rounds that count: the first, unless another was faster
/// by more than a twentieth in every round. One round that something else on the machine disturbed decides nothing.
std::size_t winner(std::span<const std::vector<double>> seconds);

/// Lets the products take turns, so that what slows the machine down for a while slows them all, and returns
/// seconds[round][product] of the rounds that count. Ends as soon as the first can no longer lose.
std::vector<std::vector<double>> take_turns(std::span<const std::string> names,
                                            std::span<const std::function<void()>> products, const ProductTimer& timer);

}  // namespace stiefel
