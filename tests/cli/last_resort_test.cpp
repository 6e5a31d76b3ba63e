// When the automatic choice takes what is left where all else takes long or fails.

#include "cli/advisor_runs.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace stiefel::cli {
namespace {

/// fsai first, unless `alone`, and a factor of 20 ms behind 500 iterations as a last resort.
PreconditionerAdvisor with_last_resort(bool alone, double seconds = 0.02, Size where_hopeless = 0) {
    std::vector<PreconditionerAdvisor::Strong> strong;
    if (!alone) strong.push_back({.name = "fsai", .cost = {.iterations = 50}, .from = 30, .is_watched = false});
    strong.push_back({.name = "cholesky",
                      .cost = {.seconds = seconds / 2},
                      .closer =
                          [seconds](double, bool) {
                              return PreconditionerAdvisor::Estimate{{.iterations = 0, .seconds = seconds}, true};
                          },
                      .from = 500,
                      .is_watched = false,
                      .is_last_resort = true,
                      .where_hopeless = where_hopeless});
    return {target_of_runs, 100000, "jacobi", std::move(strong)};
}

TEST(LastResort, WaitsUntilAsLongHasBeenIterated) {
    for (const double growth : {1.0, 100.0}) {
        PreconditionerAdvisor a = with_last_resort(true);
        EXPECT_EQ(a.looks().front(), 500);
        EXPECT_EQ(left_at(
                      a, [=](Size k) { return k < 3 ? 0.7 : 0.7 * growth; }, 1e-4),
                  500)
            << growth;
        EXPECT_EQ(a.strong(), "cholesky");
        EXPECT_TRUE(a.looks().empty());
        EXPECT_FALSE(a.has_last_resort());
    }
    PreconditionerAdvisor soon_done = with_last_resort(true);
    EXPECT_EQ(left_at(soon_done, falling(650), 1e-4), -1) << "150 iterations take less than the factor";
    PreconditionerAdvisor long_way = with_last_resort(true, 0.3);
    EXPECT_EQ(left_at(long_way, falling(4900), 1e-4), 500) << "440 ms are left";
    PreconditionerAdvisor too_dear = with_last_resort(true, 2);
    EXPECT_EQ(left_at(too_dear, constant, 1e-4), -1);
    EXPECT_TRUE(too_dear.has_last_resort());
}

TEST(LastResort, WaitsLessWhereNoEndIsInSight) {
    PreconditionerAdvisor hopeless = with_last_resort(true, 0.02, 250);
    EXPECT_EQ(hopeless.looks().front(), 250);
    EXPECT_EQ(left_at(hopeless, constant, 1e-4), 250);
    EXPECT_EQ(hopeless.strong(), "cholesky");
    PreconditionerAdvisor slow = with_last_resort(true, 0.3, 250);
    EXPECT_EQ(left_at(slow, falling(4900), 1e-4), 500) << "far away, but in sight";
    PreconditionerAdvisor after_another = with_last_resort(false, 0.02, 250);
    after_another.begin_with("fsai", 300, 1e-4, "fsai at once");
    EXPECT_EQ(after_another.looks().front(), 250);
    EXPECT_EQ(left_at(after_another, constant, 1e-4), 250);
    EXPECT_EQ(after_another.strong(), "cholesky");
    PreconditionerAdvisor too_dear = with_last_resort(true, 2, 250);
    EXPECT_EQ(left_at(too_dear, constant, 1e-4), -1);
}

TEST(LastResort, TellsWhatIsToBeExpectedOfTheOneThatRuns) {
    PreconditionerAdvisor a = with_last_resort(true);
    static_cast<void>(left_at(a, constant, 1e-4, 100));
    EXPECT_GE(a.expected_iterations(), 10000);
    PreconditionerAdvisor b = with_last_resort(true);
    static_cast<void>(left_at(b, falling(400), 1e-4, 100));
    EXPECT_NEAR(b.expected_iterations(), 300, 30);
}

TEST(LastResort, TakesOverFromAStrongOneThatWasTakenAtOnce) {
    PreconditionerAdvisor stuck = with_last_resort(false);
    stuck.begin_with("fsai", 300, 1e-4, "fsai at once");
    EXPECT_EQ(stuck.stage(), PreconditionerAdvisor::Stage::strong);
    EXPECT_EQ(stuck.strong(), "fsai");
    EXPECT_EQ(stuck.looks().front(), 500);
    EXPECT_EQ(stuck.weighed().front().after, 0) << "nobody looked at the light one";
    EXPECT_EQ(stuck.weighed().front().iterations, 300);
    EXPECT_TRUE(stuck.weighed().front().at_least);
    EXPECT_EQ(stuck.weighed()[1].after, 0);
    EXPECT_DOUBLE_EQ(stuck.weighed()[1].as_long_as.value(), 50);
    EXPECT_FALSE(stuck.weighed()[2].after);
    EXPECT_EQ(left_at(stuck, constant, 1e-4), 500);
    EXPECT_EQ(stuck.strong(), "cholesky");
    EXPECT_TRUE(stuck.reason().starts_with("fsai at once; fsai gave way to cholesky: after 500 iterations "))
        << stuck.reason();
    PreconditionerAdvisor done = with_last_resort(false);
    done.begin_with("fsai", 300, 1e-4, "fsai at once");
    EXPECT_EQ(left_at(done, falling(600), 1e-4), -1);
    EXPECT_EQ(done.reason(), "fsai at once");
    PreconditionerAdvisor failed = with_last_resort(false);
    failed.begin_with("fsai", 300, 1e-4, "fsai at once");
    EXPECT_TRUE(failed.takes_last_resort("its run ended as stagnated", 0.01));
    PreconditionerAdvisor refused = with_last_resort(false);
    refused.begin_with("fsai", 300, 1e-4, "fsai at once");
    refused.refuse_strong("no memory");
    EXPECT_EQ(refused.reason(), "fsai at once; fsai was given up: no memory");
    EXPECT_EQ(left_at(refused, constant, 1e-4), -1);
}

TEST(LastResort, TakesOverFromAStrongOne) {
    const auto after_light = [] {
        PreconditionerAdvisor a = with_last_resort(false);
        EXPECT_EQ(left_at(a, falling(2000), 1e-4), 30);
        EXPECT_EQ(a.strong(), "fsai");
        EXPECT_EQ(a.looks().front(), 500) << "it is not watched";
        EXPECT_TRUE(a.has_last_resort());
        return a;
    };
    PreconditionerAdvisor stuck = after_light();
    EXPECT_EQ(left_at(stuck, constant, 2e-4), 500);
    EXPECT_EQ(stuck.strong(), "cholesky");
    EXPECT_NE(stuck.reason().find("fsai gave way to cholesky: after 500 iterations"), std::string::npos)
        << stuck.reason();
    EXPECT_EQ(stuck.weighed().back().name, "cholesky");
    EXPECT_EQ(stuck.weighed().back().after, 30);
    EXPECT_NEAR(*stuck.weighed().back().expected_seconds, 0.02, 1e-12);
    PreconditionerAdvisor works = after_light();
    EXPECT_EQ(left_at(works, falling(580), 2e-4), -1) << "80 iterations take 16 ms";
    EXPECT_EQ(works.strong(), "fsai");
}

TEST(LastResort, GoesOnWhereAStrongOneFailsIfItIsNotTooDear) {
    PreconditionerAdvisor a = with_last_resort(false);
    EXPECT_FALSE(a.takes_last_resort("none has run", 0.0019));
    EXPECT_EQ(left_at(a, falling(2000), 1e-4), 30);
    EXPECT_FALSE(a.takes_last_resort("its run ended as stagnated", 0.0019)) << "ten times 1.9 ms are less than 20";
    EXPECT_TRUE(a.takes_last_resort("its run ended as stagnated", 0.0021));
    EXPECT_EQ(a.strong(), "cholesky");
    EXPECT_FALSE(a.takes_last_resort("its run ended as stagnated", 1)) << "there is no other";
    PreconditionerAdvisor of_another_column = with_last_resort(false);
    EXPECT_EQ(left_at(of_another_column, falling(2000), 1e-4), 30);
    of_another_column.end_solve();
    EXPECT_FALSE(of_another_column.takes_last_resort("its run ended as stagnated", 1)) << "the first has decided";
}

}  // namespace
}  // namespace stiefel::cli
