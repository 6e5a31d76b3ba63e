#include "stiefel/preconditioner/triangular/level_solve.hpp"

#include "support/solved_factor.hpp"
#include "support/triangular_factors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

// Triangular solves on hosts: in levels or one row after the other, by the number of threads.

namespace stiefel::test {
namespace {

using triangular::in_levels;
using triangular::LevelSolve;
using triangular::LevelTriangle;

constexpr int numbers_of_threads[] = {triangular::of_a_device, 1, 2, 3, 8};

/// Each row once, after all that it needs; in levels, these are in levels before.
void expect_order(const LevelTriangle<double>& a, Index n) {
    std::vector<Index> level(at(n), -1);
    for (Index l = 0; l < a.n_levels(); ++l) {
        for (Index k = a.level_start[l]; k < a.level_start[l + 1]; ++k) {
            ASSERT_EQ(level[at(a.row[k])], -1) << "twice";
            for (Size e = a.row_start[k]; e < a.row_start[k + 1]; ++e) {
                ASSERT_GE(level[at(a.cols[e])], 0) << "needed before it is there";
                ASSERT_TRUE(!a.is_in_levels() || level[at(a.cols[e])] < l);
            }
            level[at(a.row[k])] = l;
        }
    }
    EXPECT_EQ(std::ranges::count(level, -1), 0);
}

TEST(LevelTriangles, StandInLevelsWhereTheseShallPay) {
    on_factors<double>([](const char* name, const IncompleteFactor<double>& l) {
        SCOPED_TRACE(name);
        const Index level_sets = in_levels(l.columns()).lower.level_sets;
        for (const int threads : numbers_of_threads) {
            SCOPED_TRACE(threads);
            const auto triangles = in_levels(l.columns(), threads);
            for (const LevelTriangle<double>* a : {&triangles.lower, &triangles.upper}) {
                EXPECT_EQ(a->level_sets, level_sets);
                EXPECT_EQ(a->is_in_levels(), level_sets == 1 || triangular::levels_pay(l.n / level_sets, threads));
                expect_order(*a, l.n);
            }
        }
    });
}

/// For panels of k columns, with the same bits whatever the order and the threads.
template <class T>
void expect_solved_by_all(const IncompleteFactor<T>& l, Index k) {
    const Index n = l.n;
    const HostVector<T> r = random_vector<T>(Size{n} * k, 3);
    HostVector<T> first;
    for (const int threads : numbers_of_threads) {
        SCOPED_TRACE(threads);
        const LevelSolve<T> solve(in_levels(l.columns(), threads), std::max(threads, 1));
        HostVector<T> z(r.size(), std::numeric_limits<T>::quiet_NaN());
        solve.run(as_matrix(r, n, k), as_matrix(z, n, k));
        if (first.size() == 0) {
            for (Index c = 0; c < k; ++c) expect_solved(l, column_of(r, n, c, k), column_of(z, n, c, k));
            first = std::move(z);
        } else {
            EXPECT_TRUE(std::ranges::equal(first, z)) << "other bits";
        }
    }
}

template <class T>
class LevelSolves : public ::testing::Test {};
using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(LevelSolves, Types);

TYPED_TEST(LevelSolves, AreWithinTheBoundAndOfTheSameBits) {
    on_factors<TypeParam>([](const char* name, const IncompleteFactor<TypeParam>& l) {
        SCOPED_TRACE(name);
        for (const Index k : {1, 3}) expect_solved_by_all(l, k);
    });
}

}  // namespace
}  // namespace stiefel::test
