#include "stiefel/solver/ritz_extremes.hpp"

#include "stiefel/core/serial.hpp"
#include "stiefel/solver/cg_spectrum.hpp"
#include "stiefel/solver/cg_state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace stiefel {
namespace {

/// The coefficients with which CG would make tridiag(-1, 2, -1) times `size`, by its factors L D L'.
std::vector<CgCoefficients> second_differences(int n, double size) {
    std::vector<CgCoefficients> steps;
    double pivot = 2;
    for (int j = 0; j < n; ++j) {
        steps.push_back({.alpha = 1 / (pivot * size), .beta = 1 / (pivot * pivot)});
        pivot = 2 - 1 / pivot;
    }
    return steps;
}

TEST(RitzExtremes, AreTheOutermostEigenvalues) {
    for (const int n : {1, 2, 3, 10, 1000, 30000}) {
        for (const double size : {1e-290, 1e-30, 1.0, 1e290}) {
            SCOPED_TRACE(std::to_string(n) + " of " + std::to_string(std::log10(size)));
            const auto ritz = ritz_extremes(second_differences(n, size));
            ASSERT_TRUE(ritz.has_value());
            const double angle = std::numbers::pi / (2 * (n + 1));
            const double smallest = 4 * std::pow(std::sin(angle), 2), largest = 4 * std::pow(std::cos(angle), 2);
            // 1 %, on the inner side; 1e-6 for what the recurrence of the pivots above has rounded.
            EXPECT_TRUE(ritz->smallest / size >= smallest * (1 - 1e-6) && ritz->smallest / size <= 1.0101 * smallest)
                << ritz->smallest / size << " for " << smallest;
            EXPECT_TRUE(ritz->largest / size <= largest * (1 + 1e-6) && ritz->largest / size >= largest / 1.0101)
                << ritz->largest / size << " for " << largest;
        }
    }
}

/// Eigenvalues of T = L D L' with a D of 1e-40 to 1 and small L are those of D but for |L|: smaller ones are not lost
/// in the rounding of larger ones.
TEST(RitzExtremes, HoldWhateverTheCondition) {
    for (const int decades : {5, 20, 50}) {
        std::vector<CgCoefficients> steps;
        for (int j = 0; j <= decades; ++j) steps.push_back({.alpha = std::pow(10.0, j), .beta = 1e-6});
        const auto ritz = ritz_extremes(steps);
        ASSERT_TRUE(ritz.has_value());
        EXPECT_TRUE(std::abs(ritz->condition() / std::pow(10.0, decades) - 1) <= 0.03) << ritz->condition();
    }
    // So wide that no pass can look for them: still a lower bound.
    std::vector<CgCoefficients> widest;
    for (int j = 0; j <= 12; ++j) widest.push_back({.alpha = std::pow(10.0, 20 * j - 120), .beta = 1e-6});
    const auto ritz = ritz_extremes(widest);
    ASSERT_TRUE(ritz.has_value());
    EXPECT_TRUE(ritz->condition() <= 1.03e240 && ritz->condition() >= 0.97e240) << ritz->condition();
}

TEST(RitzExtremes, StopAtWhatIsNoPositiveNumber) {
    const std::vector<CgCoefficients> good = second_differences(10, 1);
    const auto expected = ritz_extremes(good);
    ASSERT_TRUE(expected.has_value());
    constexpr double infinite = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    for (const double bad : {0.0, -1.0, infinite, nan, 1e-320}) {
        std::vector<CgCoefficients> steps = good;
        steps.push_back({.alpha = bad, .beta = 0.5});
        steps.push_back({.alpha = 1e9, .beta = 0.5});
        const auto ritz = ritz_extremes(steps);
        ASSERT_TRUE(ritz.has_value()) << bad;
        EXPECT_EQ(ritz->smallest, expected->smallest) << bad;
        EXPECT_EQ(ritz->largest, expected->largest) << bad;
        EXPECT_FALSE(ritz_extremes({steps.data() + good.size(), 2}).has_value()) << bad;
    }
    for (const double bad : {0.0, -1.0, infinite, nan}) {  // nothing couples what follows
        std::vector<CgCoefficients> steps = good;
        steps.back().beta = bad;
        steps.push_back({.alpha = 1e9, .beta = 0.5});
        EXPECT_EQ(ritz_extremes(steps)->smallest, expected->smallest) << bad;
    }
    EXPECT_FALSE(ritz_extremes({}).has_value());
}

TEST(RitzExtremes, JoinedHoldBoth) {
    const RitzExtremes a{.smallest = 1, .largest = 5}, b{.smallest = 2, .largest = 9};
    EXPECT_EQ(joined(a, b)->smallest, 1);
    EXPECT_EQ(joined(a, b)->largest, 9);
    EXPECT_EQ(joined(std::nullopt, b)->smallest, 2);
    EXPECT_EQ(joined(a, std::nullopt)->largest, 5);
    EXPECT_FALSE(joined(std::nullopt, std::nullopt).has_value());
}

/// An iteration leaves its coefficients in its place of the ring, and nothing elsewhere.
TEST(CgCoefficients, OfAnIterationLieInItsPlace) {
    std::vector<CgCoefficients> ring(static_cast<std::size_t>(cg_coefficient_ring), {-1, -1});
    CgState state{
        .iteration = cg_coefficient_ring - 2, .max_iterations = 10 * cg_coefficient_ring, .coefficients = ring.data()};
    state.rho = 2;
    for (const double curvature : {4.0, 8.0, 16.0}) {
        state.curvature = curvature;
        cg_decide(state, 1.0, state.rho / 2);
    }
    const auto expect_place = [&](Size place, double alpha, double beta) {
        EXPECT_EQ(ring[static_cast<std::size_t>(place)].alpha, alpha) << place;
        EXPECT_EQ(ring[static_cast<std::size_t>(place)].beta, beta) << place;
    };
    expect_place(cg_coefficient_ring - 2, -1, -1);
    expect_place(cg_coefficient_ring - 1, 2.0 / 4, 0.5);
    expect_place(0, 1.0 / 8, 0.5);
    expect_place(1, 0.5 / 16, 0.5);
    expect_place(2, -1, -1);
}

/// Those of a run, wherever in the ring it begins; of one that is longer than the ring the last.
TEST(CgSpectrum, IsThatOfTheRun) {
    Serial backend;
    CgSpectrum spectrum(backend);
    const std::vector<CgCoefficients> steps = second_differences(1000, 1);
    const auto expected = ritz_extremes(steps);
    for (const Size begin : {Size{0}, Size{5}, cg_coefficient_ring - 300, 3 * cg_coefficient_ring - 1}) {
        std::fill_n(spectrum.ring(), cg_coefficient_ring, CgCoefficients{1e9, 0.5});
        for (Size k = 0; k < 1000; ++k) {
            spectrum.ring()[cg_coefficient_place(begin + 1 + k)] = steps[static_cast<std::size_t>(k)];
        }
        const auto ritz = spectrum.of(begin, begin + 1000);
        ASSERT_TRUE(ritz.has_value());
        EXPECT_EQ(ritz->smallest, expected->smallest) << begin;
        EXPECT_EQ(ritz->largest, expected->largest) << begin;
        EXPECT_FALSE(spectrum.of(begin, begin).has_value());
    }
    std::fill_n(spectrum.ring(), cg_coefficient_ring, CgCoefficients{0.25, 1e-9});
    const auto longest = spectrum.of(7, 3 * cg_coefficient_ring);
    ASSERT_TRUE(longest.has_value());
    EXPECT_NEAR(longest->smallest, 4, 0.05);
    EXPECT_NEAR(longest->largest, 4, 0.05);
}

}  // namespace
}  // namespace stiefel
