// What iterations and set-ups are expected to take.

#include "stiefel/cli/solve/preconditioning.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace stiefel::cli {
namespace {

/// Rows of 13 entries and of 69, as those of bcsstm12 and of bricks 12 on a side.
TEST(PreconditionerCosts, FsaiIsConsideredLaterWhereItsSetUpTakesLonger) {
    const StrongOnes alone{.fsai = true}, beside_amg{.amg = true, .fsai = true};
    EXPECT_EQ(iterations_before_fsai(alone, cost_of_fsai(1473, 19659)), 30);
    EXPECT_EQ(iterations_before_fsai(alone, cost_of_fsai(6084, 419364)), 60);
    EXPECT_EQ(iterations_before_fsai(beside_amg, cost_of_fsai(100000, 500000)), 170);
}

/// A grid in the plane whose iterations take 4 us, and one whose take 20; and where they take long.
TEST(PreconditionerCosts, MultigridWaitsForAnEighthOfWhatItTakes) {
    const auto of_grid = cost_of_amg_on_device(450000);
    EXPECT_EQ(iterations_before_amg(of_grid, 4e-6), 158);
    EXPECT_EQ(iterations_before_amg(of_grid, 2e-6), 170);
    EXPECT_EQ(iterations_before_amg(cost_of_amg_on_device(5000000), 20e-6), 51);
    EXPECT_EQ(iterations_before_amg(of_grid, 1e-3), 30);
}

/// Couplings of bcsstk10 and of a grid.
TEST(PreconditionerCosts, CouplingsTellThatIterationsWillBeMany) {
    const CouplingStrength shell{.strongest = 0.71, .mean_strongest = 0.48, .quotient_of_ones = 0.15};
    EXPECT_EQ(why_slow_by_couplings(shell), "the strongest coupling of an unknown is 0.48 in the mean");
    EXPECT_EQ(why_slow_by_ones(shell), "");
    const CouplingStrength grid{.strongest = 0.25, .mean_strongest = 0.25, .quotient_of_ones = 0.002};
    EXPECT_EQ(why_slow_by_couplings(grid), "");
    EXPECT_EQ(why_slow_by_ones(grid), "");
    CouplingStrength plate{.strongest = 0.4, .mean_strongest = 0.3, .quotient_of_ones = 0.011};
    EXPECT_EQ(why_slow_by_couplings(plate), "");
    EXPECT_EQ(why_slow_by_ones(plate), "");
    plate.quotient_of_ones = 0.002;
    EXPECT_EQ(why_slow_by_ones(plate), "the condition number with jacobi is 500 at the least");
}

TEST(PreconditionerCosts, OfWhatIsSeenToBeIndefiniteCouplingsTellNothing) {
    const auto tell_nothing = [](const CouplingStrength& couplings) {
        return why_slow_by_couplings(couplings).empty() && why_slow_by_ones(couplings).empty();
    };
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double quotient : {0.0, -1e-18, -1.0, nan}) {
        EXPECT_TRUE(tell_nothing({.strongest = 0.9, .mean_strongest = 0.6, .quotient_of_ones = quotient}));
    }
    EXPECT_TRUE(tell_nothing({.strongest = 1, .mean_strongest = 0.6, .quotient_of_ones = 0.001}));
    EXPECT_TRUE(tell_nothing({.strongest = 0.9, .mean_strongest = nan, .quotient_of_ones = 0.1}));
}

/// Of rail_1357_E, which takes 18 iterations, of exudyn_crank_M, of mhdb416, which takes 41, and of a grid.
TEST(PreconditionerCosts, EvenMassesTakeFewIterations) {
    EXPECT_TRUE(is_even_mass({.strongest = 0.354, .mean_strongest = 0.211, .quotient_of_ones = 2}));
    EXPECT_FALSE(is_even_mass({.strongest = 0.819, .mean_strongest = 0.676, .quotient_of_ones = 1.086}));
    EXPECT_FALSE(is_even_mass({.strongest = 0.953, .mean_strongest = 0.252, .quotient_of_ones = 1.227}));
    EXPECT_FALSE(is_even_mass({.strongest = 0.25, .mean_strongest = 0.25, .quotient_of_ones = 0.002}));
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(is_even_mass({.strongest = nan, .mean_strongest = 0.2, .quotient_of_ones = 2}));
    EXPECT_FALSE(is_even_mass({.strongest = 0.35, .mean_strongest = 0.2, .quotient_of_ones = nan}));
}

TEST(PreconditionerCosts, LessIsExpectedWhereLessIsAskedFor) {
    EXPECT_EQ(iterations_where_slow(1e-8), 300);
    EXPECT_NEAR(iterations_where_slow(1e-4), 150, 1e-9);
    EXPECT_EQ(iterations_where_slow(1e-12), 300) << "what is beyond takes no second factor";
    EXPECT_EQ(iterations_where_slow(0), 300);
    EXPECT_EQ(iterations_where_slow(1), 0);
    EXPECT_EQ(iterations_where_slow(7), 0);
}

/// The set-up of bcsstk10 and of bricks 16 on a side, of which a wrong guess would cost more.
TEST(PreconditionerCosts, FsaiIsTakenAtOnceWhereItsSetUpIsShort) {
    EXPECT_TRUE(is_taken_at_once(cost_of_fsai(1086, 22070), 300));
    EXPECT_FALSE(is_taken_at_once(cost_of_fsai(1086, 22070), 100)) << "for a look at iterations to decide";
    EXPECT_FALSE(is_taken_at_once(cost_of_fsai(13872, 994000), 300));
}

/// Of grids whose slices are stored once iterations are short, and as many more of them pass before multigrid repays:
/// 7-point 100^3, and the bricks of an elastic body, 20 on a side. Ranks may have no rows.
TEST(PreconditionerCosts, MultigridRepaysLaterWhereIterationsAreShorterThanItsSetUp) {
    EXPECT_NEAR(iterations_of_amg_on_cores(6940000, 96.8e6, 1), 208, 2);
    EXPECT_NEAR(iterations_of_amg_on_cores(1942362, 4.32e6, 1), 319, 4);
    EXPECT_LT(iterations_of_amg_on_cores(1942362, 8 * 4.32e6, 8), 200) << "columns share one set-up";
    EXPECT_EQ(iterations_of_amg_on_cores(0, 0, 1), 140);
}

/// On a device, of an elastic body whose values are stored once: its entries are fetched for all the same. Where every
/// entry has its own twelve bytes, these take longer.
TEST(PreconditionerCosts, WhatIsStoredOnceIsFetchedForEveryEntry) {
    EXPECT_NEAR(seconds_of_fetches(5.2e7, 2e6, 4e12), 62e-6, 1e-6);
    EXPECT_EQ(seconds_of_fetches(5.2e7, 12 * 5.2e7, 4e12), 0);
}

}  // namespace
}  // namespace stiefel::cli
