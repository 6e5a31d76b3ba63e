// When the automatic choice leaves one preconditioner for another.

#include "cli/advisor_runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace stiefel::cli {
namespace {

using Stage = PreconditionerAdvisor::Stage;

PreconditionerAdvisor advisor() {
    return {target_of_runs, 100000, "jacobi", {{.name = "amg", .cost = {.iterations = 150}}}};
}

/// An advisor that the light one has left, after it was seen to need `iterations` of a millisecond.
PreconditionerAdvisor after_light(double iterations) {
    PreconditionerAdvisor a = advisor();
    EXPECT_EQ(left_at(a, falling(iterations), 1e-3), 10);
    EXPECT_EQ(a.stage(), Stage::strong);
    return a;
}

TEST(PreconditionerAdvisor, TheLightOneGivesWayWhereMoreThan150IterationsWouldFollow) {
    for (const double iterations : {40.0, 100.0, 155.0}) {
        PreconditionerAdvisor a = advisor();
        EXPECT_EQ(left_at(a, falling(iterations), 1e-3), -1) << iterations;
        EXPECT_EQ(a.stage(), Stage::decided);
        EXPECT_NE(a.reason().find("too few for amg"), std::string::npos) << a.reason();
    }
    for (const double iterations : {190.0, 400.0, 4000.0}) {
        PreconditionerAdvisor a = advisor();
        EXPECT_EQ(left_at(a, falling(iterations), 1e-3), 10) << iterations;
        EXPECT_EQ(a.stage(), Stage::strong);
    }
    EXPECT_EQ(after_light(430).reason(),
              "after 10 iterations with jacobi preconditioner some 420 more were to be expected");
}

/// However many they are, iterations that take no time are worth no set-up.
TEST(PreconditionerAdvisor, WhatFollowsMustTakeLongerThanTheSetUpToo) {
    const auto left_with = [](double seconds_each) {
        PreconditionerAdvisor a(target_of_runs, 100000, "jacobi",
                                {{.name = "amg", .cost = {.iterations = 150, .seconds = 0.02}}});
        return left_at(a, falling(400), seconds_each);
    };
    EXPECT_EQ(left_with(8e-5), -1) << "390 of them against 150 and 20 ms";
    EXPECT_EQ(left_with(1e-4), 10);
}

/// What residuals did in the second half of 20 iterations may be chance: 60 000 vertices of degree 6 are solved in 51.
TEST(PreconditionerAdvisor, AResidualThatDoesNotFallSteadilyIsLookedAtAgain) {
    const auto stands_still = [](Size k) {
        return k < 18 ? std::pow(0.6, std::min<Size>(k, 10)) : std::pow(0.95, k - 17) * std::pow(0.6, 10);
    };
    const auto then_falls = [&](Size k) { return k < 20 ? stands_still(k) : stands_still(20) * std::pow(0.5, k - 20); };
    PreconditionerAdvisor a = advisor();
    EXPECT_EQ(left_at(a, then_falls, 1e-3), -1);
    EXPECT_EQ(a.stage(), Stage::decided);
    PreconditionerAdvisor b = advisor();
    EXPECT_EQ(left_at(b, stands_still, 1e-3), 30);
}

/// What converges sooner than it is looked at says nothing.
TEST(PreconditionerAdvisor, AShortSolveDecidesNothing) {
    PreconditionerAdvisor a = advisor();
    EXPECT_EQ(left_at(a, falling(19), 1e-3), -1);
    EXPECT_EQ(a.stage(), Stage::light_at_first);
    EXPECT_EQ(a.reason(), "");
}

/// As residuals of conjugate gradients often do at first.
TEST(PreconditionerAdvisor, WhereTheResidualHasNotFallenNoEndIsInSight) {
    PreconditionerAdvisor a = advisor();
    EXPECT_EQ(left_at(a, constant, 1e-3), 30);
    EXPECT_NE(a.reason().find("more than 10,000 more"), std::string::npos) << a.reason();
}

/// A residual that grows says that the condition number is large, and how large at the least.
TEST(PreconditionerAdvisor, WhereTheResidualHasGrownManyIterationsAreToBeExpected) {
    const auto grown = [](double by) { return [by](Size k) { return k < 3 ? 1 : by; }; };
    PreconditionerAdvisor a = advisor();
    EXPECT_EQ(left_at(a, grown(8), 1e-3), 5);
    EXPECT_EQ(a.reason(), "after 5 iterations with jacobi preconditioner some 480 more were to be expected");
    PreconditionerAdvisor b = advisor();
    EXPECT_EQ(left_at(b, grown(2), 1e-3), 30) << "120 by the growth; then as where it stands still";
    PreconditionerAdvisor c = advisor();
    EXPECT_EQ(left_at(c, grown(4), 1e-3), 5);
    const auto then_falls = [&](Size k) { return k < 8 ? 2 : 2 * std::pow(0.6, k - 7); };
    PreconditionerAdvisor d = advisor();
    EXPECT_EQ(left_at(d, then_falls, 1e-3), -1);
}

/// One that says so is considered before the others are, but only where the residual has grown.
TEST(PreconditionerAdvisor, GrowthMayDecideAtOnce) {
    const auto early = [] {
        return PreconditionerAdvisor(target_of_runs, 100000, "jacobi",
                                     {{.name = "cholesky", .cost = {.iterations = 100}, .from = 2}});
    };
    PreconditionerAdvisor a = early();
    EXPECT_EQ(a.looks(), (std::vector<Size>{2, 5, 10, 15, 20, 30}));
    EXPECT_EQ(left_at(
                  a, [](Size k) { return k == 0 ? 1 : 2; }, 1e-3),
              2);
    PreconditionerAdvisor b = early();
    EXPECT_EQ(left_at(b, falling(400), 1e-3), 10);
}

/// bricks 12 on a side: 163 iterations in all, and by the rate of the 15 before the 30th more than 1000.
TEST(PreconditionerAdvisor, WhatFallsInJumpsIsExpectedToFallAsItDidFromTheBeginning) {
    const auto in_jumps = [](Size k) { return k < 20 ? std::pow(0.85, k) : 0.995 * std::pow(0.85, 19); };
    PreconditionerAdvisor a(target_of_runs, 100000, "jacobi", {{.name = "cholesky", .cost = {.iterations = 160}}});
    EXPECT_EQ(left_at(a, in_jumps, 1e-3, 40), -1);
    EXPECT_EQ(a.stage(), Stage::decided);
    EXPECT_NE(a.reason().find("some 150 more were to be expected, too few"), std::string::npos) << a.reason();
}

/// From a bad guess residuals are large without having grown.
TEST(PreconditionerAdvisor, GrowthIsAgainstTheGuess) {
    for (const double first : {0.02, 1.0, 50.0}) {
        PreconditionerAdvisor a = advisor();
        EXPECT_EQ(left_at(
                      a, [&](Size k) { return k == 0 ? first : 8 * first; }, 1e-3),
                  5)
            << first;
        PreconditionerAdvisor b = advisor();
        EXPECT_EQ(left_at(
                      b, [&](Size) { return first; }, 1e-3),
                  30)
            << first;
    }
}

/// One that is to wait for the light one need not where it is plain how long that will take.
TEST(PreconditionerAdvisor, WhereTheResidualHasGrownNoneIsConsideredLater) {
    const auto with_late = [] {
        return PreconditionerAdvisor(target_of_runs, 100000, "jacobi",
                                     {{.name = "fsai", .cost = {.iterations = 400}, .from = 300}});
    };
    PreconditionerAdvisor a = with_late();
    EXPECT_EQ(left_at(
                  a, [](Size k) { return k == 0 ? 1 : 20; }, 1e-3),
              5);
    PreconditionerAdvisor b = with_late();
    EXPECT_EQ(left_at(
                  b, [](Size k) { return k == 0 ? 1 : 5; }, 1e-3),
              300)
        << "300 by the growth, then none in sight";
}

/// Such a forecast is too low more often than not: one that had rather be taken then counts less.
TEST(PreconditionerAdvisor, WhereTheResidualHasGrownFixedCostsMayCountLess) {
    const auto left_with = [](double where_grown, double growth) {
        PreconditionerAdvisor a(target_of_runs, 100000, "jacobi",
                                {{.name = "fsai",
                                  .cost = {.iterations = 100, .seconds = 0.05, .share = 0.5},
                                  .from = 300,
                                  .where_grown = where_grown}});
        return left_at(
            a, [=](Size k) { return k == 0 ? 1 : growth; }, 1e-3);
    };
    EXPECT_EQ(left_with(1, 4), 300) << "240 more to be expected, of which half can be saved for 150";
    EXPECT_EQ(left_with(0.7, 4), 5) << "... for 105";
    EXPECT_EQ(left_with(0.7, 3), 300) << "180 more";
    EXPECT_EQ(left_with(1, 6), 5);
}

/// A closer look that would take too long for what is to be expected yet is taken when more is.
TEST(PreconditionerAdvisor, AsksAgainWhatCouldNotBeSaidExactly) {
    std::vector<double> asked;
    PreconditionerAdvisor a(
        target_of_runs, 100000, "jacobi",
        {{.name = "cholesky", .cost = {.iterations = 10}, .closer = [&](double iterations, bool at_least) {
              asked.push_back(iterations);
              EXPECT_EQ(at_least, iterations < 1000);
              const bool is_exact = iterations > 1000;
              return PreconditionerAdvisor::Estimate{{.iterations = is_exact ? 200.0 : 300}, is_exact};
          }}});
    EXPECT_EQ(left_at(
                  a, [](Size k) { return k < 3 ? 1 : 2; }, 1e-3),
              30);
    EXPECT_EQ(asked, (std::vector<double>{120, 10000})) << "at least 300: not asked again where 120 are to be expected";
    EXPECT_EQ(a.strong(), "cholesky");
}

TEST(PreconditionerAdvisor, AStrongOneThatWorksStays) {
    PreconditionerAdvisor a = after_light(400);
    EXPECT_EQ(left_at(a, falling(15), 8e-3), -1);
    PreconditionerAdvisor b = after_light(400);
    EXPECT_EQ(left_at(b, falling(60), 8e-3), -1) << "slower than hoped for, but not twice as slow as the light one";
    EXPECT_EQ(b.stage(), Stage::strong);
}

TEST(PreconditionerAdvisor, AStrongOneThatGainsTooLittleGivesWay) {
    PreconditionerAdvisor a = after_light(400);
    EXPECT_EQ(left_at(a, falling(300), 8e-3), 20) << "300 times 8 ms against 400 times 1 ms";
    EXPECT_EQ(a.stage(), Stage::decided);
    EXPECT_NE(a.reason().find("amg was given up: after 20 iterations some 280 more"), std::string::npos) << a.reason();
    EXPECT_EQ(left_at(a, constant, 1e-3), -1) << "the light one goes on to the end";
}

/// Without any progress it is left after a tenth of the time that the light one was expected to take.
TEST(PreconditionerAdvisor, AStrongOneThatStagnatesGivesWay) {
    PreconditionerAdvisor a = after_light(400);
    const Size left = left_at(a, constant, 8e-3);
    EXPECT_EQ(left, 20) << a.reason();
    EXPECT_NE(a.reason().find("no end was in sight"), std::string::npos) << a.reason();
    PreconditionerAdvisor b = after_light(9000);
    const Size later = left_at(b, constant, 8e-3);
    EXPECT_EQ(later, 150) << "where the light one is as good as hopeless, more may be ventured";
}

/// So that a run ends after iterations that were known beforehand, whenever it is told of them.
TEST(PreconditionerAdvisor, GivesWayAfterItsLooksOnly) {
    PreconditionerAdvisor a = advisor();
    EXPECT_EQ(a.looks(), (std::vector<Size>{5, 10, 15, 20, 30}));
    for (const double seconds_each : {8e-3, 1e-3, 7e-4, 5e-4}) {
        PreconditionerAdvisor b = after_light(9000);
        const std::vector<Size> looks = b.looks();
        ASSERT_GT(looks.size(), 5u);
        EXPECT_EQ(std::vector<Size>(looks.begin(), looks.begin() + 5), (std::vector<Size>{20, 30, 45, 67, 100}));
        const Size left = left_at(b, constant, seconds_each);
        EXPECT_NE(std::find(looks.begin(), looks.end(), left), looks.end()) << left;
        EXPECT_TRUE(b.looks().empty()) << "decided";
    }
}

/// What costs something to be known is asked only where it may repay, once, and the cheapest is taken.
TEST(PreconditionerAdvisor, TakesTheCheapestOfTheStrongOnes) {
    int asked = 0;
    double told = 0;
    const auto with = [&](double least, double exact) {
        asked = 0;
        return PreconditionerAdvisor(target_of_runs, 100000, "jacobi",
                                     {{.name = "amg", .cost = {.iterations = 150}},
                                      {.name = "cholesky",
                                       .cost = {.iterations = least},
                                       .closer = [&asked, &told, exact](double iterations, bool at_least) {
                                           ++asked;
                                           told = iterations;
                                           EXPECT_FALSE(at_least);
                                           return PreconditionerAdvisor::Estimate{{.iterations = exact}, true};
                                       }}});
    };
    PreconditionerAdvisor cheap = with(10, 60);
    EXPECT_EQ(left_at(cheap, falling(430), 1e-3), 10);
    EXPECT_EQ(cheap.strong(), "cholesky");
    EXPECT_NEAR(told, 420, 1);
    EXPECT_EQ(cheap.reason(),
              "after 10 iterations with jacobi preconditioner some 420 more were to be expected; what cholesky still "
              "needs was to "
              "take as long as some 60");
    PreconditionerAdvisor dear = with(10, 900);
    EXPECT_EQ(left_at(dear, falling(430), 1e-3), 10);
    EXPECT_EQ(dear.strong(), "amg");
    EXPECT_EQ(asked, 1);
    PreconditionerAdvisor hopeless = with(160, 1);
    EXPECT_EQ(left_at(hopeless, falling(430), 1e-3), 10);
    EXPECT_EQ(hopeless.strong(), "amg");
    EXPECT_EQ(asked, 0) << "amg costs less than it can";
    PreconditionerAdvisor neither = with(10, 120);
    EXPECT_EQ(left_at(neither, falling(120), 1e-3), -1);
    EXPECT_EQ(neither.strong(), "");
    EXPECT_EQ(asked, 1);
    EXPECT_NE(neither.reason().find("too few for amg (as long as some 150) or cholesky (as long as some 120)"),
              std::string::npos)
        << neither.reason();
}

/// Reports tell of all what was expected when each was last looked at.
TEST(PreconditionerAdvisor, SaysWhatWasExpectedOfEach) {
    PreconditionerAdvisor a(target_of_runs, 100000, "jacobi",
                            {{.name = "amg", .cost = {.iterations = 150, .seconds = 0.01, .setup = 0.01}},
                             {.name = "cholesky",
                              .cost = {.iterations = 10},
                              .closer =
                                  [](double, bool) {
                                      return PreconditionerAdvisor::Estimate{{.iterations = 600, .setup = 0.6}, false};
                                  }},
                             {.name = "fsai", .cost = {.iterations = 0, .share = 0.6}, .from = 300}});
    ASSERT_EQ(a.weighed().size(), 4u);
    EXPECT_FALSE(a.weighed()[0].after) << "nothing was looked at yet";
    EXPECT_EQ(left_at(a, falling(430), 1e-3), 10);
    const WeighedPreconditioner &light = a.weighed()[0], &amg = a.weighed()[1], &cholesky = a.weighed()[2];
    EXPECT_EQ(light.name, "jacobi");
    EXPECT_EQ(light.after, 10);
    EXPECT_NEAR(light.iterations.value(), 420, 1);
    EXPECT_NEAR(light.expected_seconds.value(), 0.42, 1e-3);
    EXPECT_NEAR(amg.expected_seconds.value(), 0.16, 1e-9);
    EXPECT_NEAR(amg.as_long_as.value(), 160, 1e-6);
    EXPECT_EQ(amg.expected_setup_seconds, 0.01);
    EXPECT_FALSE(amg.at_least);
    EXPECT_TRUE(cholesky.at_least) << "it was not looked at so closely";
    EXPECT_EQ(a.weighed()[3].name, "fsai");
    EXPECT_FALSE(a.weighed()[3].after);
}

/// One that is cheap to set up is not asked for before as much was spent; it costs a share of what is to be expected.
TEST(PreconditionerAdvisor, ConsidersSomeStrongOnesLater) {
    const auto with_late = [](PreconditionerAdvisor::Cost cost) {
        return PreconditionerAdvisor(
            target_of_runs, 100000, "jacobi",
            {{.name = "amg", .cost = {.iterations = 8000}}, {.name = "fsai", .cost = cost, .from = 300}});
    };
    PreconditionerAdvisor a = with_late({.iterations = 0, .seconds = 0.4, .share = 0.6});
    EXPECT_EQ(a.looks(), (std::vector<Size>{5, 10, 15, 20, 30, 300}));
    EXPECT_EQ(left_at(a, falling(1400), 1e-3), 300);
    EXPECT_EQ(a.strong(), "fsai");
    EXPECT_EQ(a.reason(), "after 300 iterations with jacobi preconditioner some 1,100 more were to be expected");
    PreconditionerAdvisor b = with_late({.iterations = 0, .seconds = 0.4, .share = 0.6});
    EXPECT_EQ(left_at(b, falling(1200), 1e-3), -1) << "900 more, of which four tenths can be saved";
    EXPECT_EQ(b.stage(), Stage::decided);
    EXPECT_NE(b.reason().find("after 300 iterations"), std::string::npos) << b.reason();
    EXPECT_NE(b.reason().find("too few for amg (as long as some 8,000) or fsai (as long as some 9"), std::string::npos)
        << b.reason();
    PreconditionerAdvisor c = with_late({.iterations = 0, .seconds = 0.4, .share = 0.6});
    EXPECT_EQ(left_at(c, constant, 1e-3), 30) << "no end in sight: amg need not wait";
    EXPECT_EQ(c.strong(), "amg");
    PreconditionerAdvisor d(target_of_runs, 100000, "jacobi",
                            {{.name = "fsai", .cost = {.iterations = 50}, .from = 300}});
    EXPECT_EQ(d.looks(), (std::vector<Size>{5, 300})) << "before, only what has grown decides";
    EXPECT_EQ(left_at(d, falling(1000), 1e-3), 300);
}

/// What waits for the last of the looks that all share is considered there, and where that said too little once more.
TEST(PreconditionerAdvisor, ConsidersAStrongOneAgain) {
    const auto with_again = [] {
        return PreconditionerAdvisor(target_of_runs, 100000, "jacobi",
                                     {{.name = "fsai", .cost = {.iterations = 100}, .from = 30, .again = 120}});
    };
    PreconditionerAdvisor a = with_again();
    EXPECT_EQ(a.looks(), (std::vector<Size>{5, 30, 120}));
    EXPECT_EQ(left_at(a, falling(400), 1e-3), 30);
    PreconditionerAdvisor b = with_again();
    EXPECT_EQ(left_at(b, falling(120), 1e-3), -1);
    PreconditionerAdvisor c = with_again();
    const auto slower_later = [](Size k) {
        const auto steps = static_cast<double>(k);
        return std::exp(k <= 30 ? -0.2 * steps : -6 - 0.01 * (steps - 30));
    };
    EXPECT_EQ(left_at(c, slower_later, 1e-3), 120) << "60 more after 30, 300 more after 120";
    EXPECT_EQ(c.strong(), "fsai");
    PreconditionerAdvisor between(target_of_runs, 100000, "jacobi", {{.name = "amg", .from = 12}});
    EXPECT_EQ(between.looks(), (std::vector<Size>{5, 12, 15, 20, 30}));
}

/// 120 iterations to e^-5.6, of which the later half made 0.6: by their rate 1,280 more, by half as many again as the
/// mean of all 412.
TEST(PreconditionerAdvisor, WhatCreepsForLongIsExpectedToFallInEarnest) {
    const auto creeping = [](Size k) {
        const auto steps = static_cast<double>(k);
        return std::exp(k <= 60 ? -5 * steps / 60 : -5 - 0.01 * (steps - 60));
    };
    for (const double worth : {380.0, 450.0}) {
        PreconditionerAdvisor a(target_of_runs, 100000, "none",
                                {{.name = "amg", .cost = {.iterations = worth}, .from = 120}});
        EXPECT_EQ(left_at(a, creeping, 1e-3), worth < 412 ? 120 : -1) << worth;
        EXPECT_NE(a.reason().find("after 120 iterations with no preconditioner some 410 more"), std::string::npos)
            << a.reason();
    }
}

TEST(PreconditionerAdvisor, DoesNotWatchWhatCannotBeSlower) {
    for (const bool is_watched : {true, false}) {
        PreconditionerAdvisor a(target_of_runs, 100000, "jacobi", {{.name = "fsai", .is_watched = is_watched}});
        EXPECT_EQ(left_at(a, falling(9000), 1e-3), 10);
        EXPECT_EQ(a.stage(), Stage::strong);
        EXPECT_EQ(a.looks().empty(), !is_watched);
        EXPECT_EQ(left_at(a, constant, 1.0), is_watched ? 20 : -1);
        a.refuse_strong("its run ended as stagnated");
        EXPECT_EQ(a.stage(), Stage::decided);
    }
}

TEST(PreconditionerAdvisor, WithoutAStrongOneTheLightOneGoesOn) {
    PreconditionerAdvisor a = after_light(400);
    a.refuse_strong("out of memory");
    EXPECT_EQ(left_at(a, constant, 1e-3), -1);
    EXPECT_NE(a.reason().find("amg was given up: out of memory"), std::string::npos) << a.reason();
}

}  // namespace
}  // namespace stiefel::cli
