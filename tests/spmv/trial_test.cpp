#include "stiefel/spmv/trial.hpp"

#include <gtest/gtest.h>

namespace stiefel {
namespace {

using Rounds = std::vector<std::vector<double>>;
using Indices = std::vector<std::size_t>;

TEST(PlanContest, TakesWhatIsWithinAQuarterOfTheBestCheapestFirst) {
    const std::vector<double> costs{1.3, 1.0, 1.2, 1.1, 2.0};
    const Contest contest = plan_contest(costs, 1e9);
    EXPECT_EQ(contest.contestants, (Indices{1, 3, 2}));
    EXPECT_FALSE(contest.too_costly);
}

TEST(PlanContest, KeepsToTheBudget) {
    const std::vector<double> costs{1.0, 1.1, 1.2};
    EXPECT_EQ(plan_contest(costs, 4 * 2.1).contestants, (Indices{0, 1}));
    EXPECT_TRUE(plan_contest(costs, 4 * 2.1).too_costly);
    EXPECT_EQ(plan_contest(costs, 4 * 2.0).contestants, (Indices{0}));
    EXPECT_EQ(plan_contest(costs, 0).contestants, (Indices{0})) << "the model's choice costs no trial";
    EXPECT_TRUE(plan_contest(costs, 0).too_costly);
    EXPECT_FALSE(plan_contest(std::vector{1.0, 9.0}, 0).too_costly) << "nothing else may win";
    EXPECT_EQ(plan_contest(costs, 4 * (2.1 + 2 * 0.5), 0.5).contestants, (Indices{0, 1}));
    EXPECT_EQ(plan_contest(costs, 4 * (2.1 + 2 * 0.4), 0.5).contestants, (Indices{0})) << "timing takes time as well";
}

TEST(PlanContest, OfEqualsTheFirstComesFirst) {
    EXPECT_EQ(plan_contest(std::vector{2.0, 1.0, 1.0}, 1e9).contestants, (Indices{1, 2}));
}

TEST(Winner, IsTheModelsChoiceUnlessAnotherGainsInEveryRound) {
    EXPECT_EQ(winner(Rounds{{1.0, 0.8}, {1.0, 0.8}, {1.0, 0.8}}), 1u);
    EXPECT_EQ(winner(Rounds{{1.0, 0.8}, {1.0, 0.8}, {0.7, 0.8}}), 0u);
    EXPECT_EQ(winner(Rounds{{1.0, 0.98}, {1.0, 0.98}, {1.0, 0.98}}), 0u) << "within the noise";
    EXPECT_EQ(winner(Rounds{{1.0, 0.8, 0.7}, {1.0, 0.8, 0.7}, {1.0, 0.8, 0.7}}), 2u);
    EXPECT_EQ(winner(Rounds{{1.0}}), 0u);
}

TEST(Winner, IsNotMadeByOneDisturbedRound) {
    EXPECT_EQ(winner(Rounds{{40.0, 1.2}, {1.0, 1.2}, {1.0, 1.2}}), 0u);
    EXPECT_EQ(winner(Rounds{{1.0, 1.2}, {40.0, 1.2}, {40.0, 1.2}}), 0u);
}

TEST(TakeTurns, RunsEveryProductInEveryRoundAndForgetsTheFirst) {
    const std::vector<std::string> names{"a", "b"};
    std::string order;
    const std::vector<std::function<void()>> products{[&] { order += 'A'; }, [&] { order += 'B'; }};
    double clock = 0;
    const auto seconds = take_turns(names, products, [&](std::string_view, const std::function<void()>& product) {
        product();
        return ++clock;
    });
    EXPECT_EQ(order, "ABAB");
    EXPECT_EQ(seconds, (Rounds{{3, 4}})) << "B is not faster, and cannot win any more";
}

TEST(TakeTurns, GoesOnWhileAnotherMayWin) {
    const std::vector<std::string> names{"a", "b", "c"};
    const std::vector<std::function<void()>> products(3, [] {});
    const auto rounds = [&](double last) {
        std::vector<double> times{9, 9, 9, 2, 1, 3, 2, 1, 1, last, 1, 1};
        auto next = times.begin();
        return take_turns(names, products, [&](std::string_view, const std::function<void()>&) { return *next++; });
    };
    EXPECT_EQ(rounds(2), (Rounds{{2, 1, 3}, {2, 1, 1}, {2, 1, 1}}));
    EXPECT_EQ(winner(rounds(2)), 1u);
    EXPECT_EQ(winner(rounds(0.5)), 0u);
}

TEST(SecondsOf, RunsTheProductOnce) {
    int runs = 0;
    EXPECT_GE(seconds_of("", [&] { ++runs; }), 0);
    EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace stiefel
