// What the automatic choice goes on with as residuals fall or do not, and what it keeps for that.

#include "stiefel/cli/solve/preconditioning.hpp"
#include "stiefel/problems/poisson.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace stiefel::cli {
namespace {

/// The automatic choice on a small matrix, which would be left alone by the program.
class AutomaticPreconditioning : public ::testing::Test {
protected:
    using Matrix = HostCsr<double>;

    AutomaticPreconditioning() { begin_again(); }

    void begin_again(StrongOnes strong = {.amg = true}) {
        auto entries = std::make_shared<Matrix>(poisson2d<double>(host, 20, 20));
        kept = entries;
        preconditioning.emplace(backend, "jacobi", std::move(entries), strong);
        bind();
        preconditioning->begin(1e-8, 1000);
    }

    void bind() {
        preconditioning->foresees_few_products(1, 1e-8);
        preconditioning->bind(a);
    }

    /// Whether a run in which a residual falls by such a factor an iteration is left within so many.
    bool is_left(double factor, Size iterations, Size from = 0) {
        for (Size i = from; i <= iterations; ++i) {
            if (preconditioning->gives_way(i, std::pow(factor, static_cast<double>(i)))) return true;
        }
        return false;
    }
    bool changes(StopReason reason, Evidence evidence = Evidence::none) {
        return preconditioning->changes(reason, evidence);
    }
    void take_strong() {
        ASSERT_TRUE(is_left(0.95, 30));
        ASSERT_TRUE(changes(StopReason::interrupted));
        ASSERT_EQ(preconditioning->name(), "amg");
    }

    Serial backend;
    OpenMP host{1};
    SpmvOperator<Serial, double> a{poisson2d<double>(host, 20, 20), spmv_kernels(backend, Matrix{}).back()};
    std::weak_ptr<Matrix> kept;
    std::optional<Preconditioning<Serial, double>> preconditioning;
};

TEST_F(AutomaticPreconditioning, KeepsTheEntriesAsLongAsTheyMayBeNeeded) {
    EXPECT_FALSE(is_left(0.8, 29));
    EXPECT_FALSE(kept.expired());
    EXPECT_FALSE(is_left(0.8, 60, 30));
    EXPECT_TRUE(kept.expired()) << "few iterations follow";
    EXPECT_FALSE(changes(StopReason::converged));
    EXPECT_EQ(preconditioning->name(), "jacobi");
}

TEST_F(AutomaticPreconditioning, TakesTheStrongOneAndLeavesItWhereItGainsNothing) {
    take_strong();
    EXPECT_TRUE(kept.expired()) << "the hierarchy has its own";
    EXPECT_FALSE(preconditioning->details().levels.empty());
    EXPECT_TRUE(is_left(0.999, 100));
    EXPECT_TRUE(changes(StopReason::interrupted));
    EXPECT_EQ(preconditioning->name(), "jacobi");
    EXPECT_TRUE(preconditioning->details().levels.empty());
    EXPECT_FALSE(is_left(1, 1000)) << "for good";
}

/// What rounding errors leave of a factor's solution no other preconditioner takes away.
TEST_F(AutomaticPreconditioning, TakesAFactorisationAndBelievesIt) {
    begin_again({.amg = true, .cholesky = true});
    ASSERT_TRUE(is_left(0.95, 30));
    ASSERT_TRUE(changes(StopReason::interrupted));
    EXPECT_EQ(preconditioning->name(), "cholesky");
    EXPECT_TRUE(kept.expired());
    EXPECT_TRUE(preconditioning->details().factorisation);
    EXPECT_NE(preconditioning->reason().find("what cholesky still needs was to take as long as some "),
              std::string::npos);
    EXPECT_FALSE(changes(StopReason::stagnated));
    begin_again({.cholesky = true});
    EXPECT_FALSE(is_left(0.5, 60)) << "few iterations follow";
    EXPECT_EQ(preconditioning->name(), "jacobi");
}

/// Before A is in a format: then few products are to be expected of it.
TEST_F(AutomaticPreconditioning, ForeseesFewProductsWhereAFactorIsToSolveOrAMassIsEven) {
    const auto foresees = [&](const char* name, StrongOnes strong, std::optional<CouplingStrength> couplings) {
        preconditioning.emplace(backend, name, std::make_shared<Matrix>(poisson2d<double>(host, 20, 20)), strong,
                                couplings);
        const std::optional<double> few = preconditioning->foresees_few_products(1, 1e-8);
        preconditioning->bind(a);
        preconditioning->begin(1e-8, 1000);
        return few;
    };
    const CouplingStrength strong_ones{.strongest = 0.9, .mean_strongest = 0.5, .quotient_of_ones = 0.1};
    EXPECT_EQ(foresees("jacobi", {.cholesky = true}, strong_ones), 5);
    EXPECT_EQ(preconditioning->name(), "cholesky");
    EXPECT_NE(preconditioning->reason().find("cholesky at once, as the strongest coupling"), std::string::npos);
    const CouplingStrength plate{.strongest = 0.4, .mean_strongest = 0.3, .quotient_of_ones = 0.002};
    EXPECT_EQ(foresees("jacobi", {.cholesky = true}, plate), 5);
    EXPECT_NE(preconditioning->reason().find("at once, as the condition number"), std::string::npos);
    EXPECT_FALSE(foresees("jacobi", {.cholesky = true}, {})) << "nothing is known of its couplings";
    EXPECT_FALSE(foresees("jacobi", {.amg = true}, strong_ones)) << "no factor may follow";
    EXPECT_EQ(preconditioning->name(), "jacobi");
    EXPECT_EQ(foresees("cholesky", {}, {}), 5) << "by name";
    EXPECT_FALSE(foresees("jacobi", {}, {}));
    const CouplingStrength of_mass{.strongest = 0.35, .mean_strongest = 0.2, .quotient_of_ones = 2};
    EXPECT_EQ(foresees("jacobi", {.cholesky = true}, of_mass), products_of_even_mass);
    EXPECT_EQ(preconditioning->name(), "jacobi");
}

/// The run that goes on is then asked to end as well, and keeps its x.
TEST_F(AutomaticPreconditioning, AFactorisationIsGivenUpWhereTheProgramIsToEnd) {
    begin_again({.cholesky = true});
    ASSERT_TRUE(is_left(0.95, 30));
    const InterruptSource asked([] { return true; });
    ASSERT_TRUE(changes(StopReason::interrupted));
    EXPECT_EQ(preconditioning->name(), "jacobi");
    EXPECT_NE(preconditioning->reason().find("cholesky was given up: "), std::string::npos)
        << preconditioning->reason();
    preconditioning.emplace(backend, "cholesky", std::make_shared<Matrix>(poisson2d<double>(host, 20, 20)),
                            StrongOnes{});
    bind();
    EXPECT_TRUE(preconditioning->details().factorisation) << "what is asked for by name is made to its end";
}

/// The iterations of one right-hand side say nothing of the next one's.
TEST_F(AutomaticPreconditioning, EachSolveIsLookedAtByItself) {
    EXPECT_FALSE(is_left(0.3, 15)) << "over before it was looked at";
    EXPECT_FALSE(changes(StopReason::converged));
    take_strong();
    EXPECT_FALSE(is_left(0.4, 20));
    EXPECT_FALSE(changes(StopReason::converged));
    EXPECT_FALSE(is_left(0.999, 1000)) << "the first solve has decided for all";
    EXPECT_EQ(preconditioning->name(), "amg");
}

TEST_F(AutomaticPreconditioning, WhatTheStrongOneMayBeToBlameForIsTriedWithoutIt) {
    for (const StopReason reason :
         {StopReason::converged, StopReason::interrupted, StopReason::time_limit, StopReason::max_iterations}) {
        take_strong();
        EXPECT_FALSE(changes(reason)) << to_string(reason);
        if (HasFatalFailure()) return;
        EXPECT_FALSE(changes(StopReason::not_positive_definite, Evidence::negative_curvature)) << "of A itself";
        begin_again();
    }
    for (const StopReason reason : {StopReason::stagnated, StopReason::not_finite, StopReason::not_positive_definite}) {
        take_strong();
        EXPECT_TRUE(changes(reason, Evidence::preconditioner)) << to_string(reason);
        EXPECT_EQ(preconditioning->name(), "jacobi");
        EXPECT_NE(preconditioning->reason().find(to_string(reason)), std::string::npos) << preconditioning->reason();
        EXPECT_FALSE(changes(reason, Evidence::preconditioner)) << "once";
        begin_again();
    }
}

}  // namespace
}  // namespace stiefel::cli
