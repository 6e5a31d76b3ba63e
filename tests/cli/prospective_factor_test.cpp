#include "stiefel/cli/solve/prospective_factor.hpp"
#include "stiefel/problems/poisson.hpp"

#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <memory>

// What a factor is expected to take, and what a core that iterations leave idle makes of it.

namespace stiefel::cli {
namespace {

template <class T>
std::shared_ptr<const HostCsr<T>> grid(Index points) {
    OpenMP host(1);
    return std::make_shared<const HostCsr<T>>(poisson2d<T>(host, points, points));
}

TEST(ProspectiveFactor, LooksCloserTheMoreThereIsToGain) {
    Serial backend;
    ProspectiveFactor<Serial, double> factor(backend, grid<double>(40));
    const double before = factor.seconds_before();
    EXPECT_GT(before, 1e-4);
    const auto guessed = factor.left(before, false, 0);
    EXPECT_FALSE(guessed.is_exact);
    EXPECT_FALSE(factor.analysis());
    const auto known = factor.left(100 * before, false, 0);
    EXPECT_TRUE(known.is_exact);
    ASSERT_TRUE(factor.analysis());
    EXPECT_EQ(known.left, seconds_of_analysed(factor.analysis()->prediction()).left);
    EXPECT_EQ(factor.left(100 * before, false, 1).left, known.left) << "nothing was begun";
}

TEST(ProspectiveFactor, NeedsTheLessTheLongerItHasBeenMade) {
    OpenMP backend(2);
    ProspectiveFactor<OpenMP, double> factor(backend, grid<double>(40));
    EXPECT_FALSE(factor.is_made_ahead());
    EXPECT_FALSE(factor.take());
    factor.make_ahead();
    ASSERT_TRUE(factor.is_made_ahead());
    const double before = factor.seconds_before();
    const auto at_first = factor.left(0, false, 0);
    EXPECT_TRUE(at_first.is_exact) << "what is analysed anyhow is asked";
    EXPECT_DOUBLE_EQ(at_first.left, before + seconds_of_analysed(factor.analysis()->prediction()).left);
    EXPECT_DOUBLE_EQ(factor.left(0, false, before).left, at_first.left - before);
    EXPECT_EQ(factor.left(0, false, 2 * at_first.left).left, 0);
}

template <class T>
class FactorMadeAhead : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FactorMadeAhead, Types);

TYPED_TEST(FactorMadeAhead, IsTheOneThatWouldBeMadeOtherwise) {
    using T = TypeParam;
    OpenMP backend(2);
    const auto a = grid<T>(30);
    ProspectiveFactor<OpenMP, T> factor(backend, a);
    factor.make_ahead();
    auto made = factor.take();
    ASSERT_TRUE(made);
    const Cholesky<OpenMP, T> ahead(std::move(*made)), otherwise(backend, *a);
    const HostVector<T> r = test::random_vector<T>(a->n_rows, 4);
    HostVector<T> z(a->n_rows), wanted(a->n_rows);
    precondition(backend, ahead, as_matrix(r, a->n_rows, 1), as_matrix(z, a->n_rows, 1));
    precondition(backend, otherwise, as_matrix(r, a->n_rows, 1), as_matrix(wanted, a->n_rows, 1));
    for (Index i = 0; i < a->n_rows; ++i) ASSERT_EQ(z[i], wanted[i]) << i;
}

TYPED_TEST(FactorMadeAhead, EndsWhenItIsGivenUpAndKeepsItsMatrixUntilThen) {
    using T = TypeParam;
    OpenMP backend(2);
    auto a = grid<T>(60);
    const std::weak_ptr<const HostCsr<T>> kept = a;
    {
        ProspectiveFactor<OpenMP, T> factor(backend, std::move(a));
        factor.make_ahead();
        factor.forget_matrix();
        factor.give_up();
    }
    EXPECT_TRUE(kept.expired());
}

}  // namespace
}  // namespace stiefel::cli
