#include "stiefel/preconditioner/cholesky/incomplete_cholesky.hpp"
#include "stiefel/preconditioner/cholesky/level_pattern.hpp"
#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/spmv.hpp"

#include "support/bounds.hpp"
#include "support/csr_checks.hpp"
#include "support/dense_symbolic.hpp"
#include "support/same_bits.hpp"
#include "support/true_residual.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace stiefel::test {
namespace {

using cholesky::IncompleteFactor;

std::size_t place(Size i, Index n, Index j) {
    return static_cast<std::size_t>(i * n + j);
}

template <class T>
std::vector<long double> dense_lower(const IncompleteFactor<T>& factor) {
    std::vector<long double> l(place(factor.n, factor.n, 0), 0);
    for (Index j = 0; j < factor.n; ++j) {
        for (Size k = factor.start[static_cast<std::size_t>(j)]; k < factor.start[static_cast<std::size_t>(j) + 1];
             ++k) {
            l[place(factor.rows[static_cast<std::size_t>(k)], factor.n, j)] =
                factor.values[static_cast<std::size_t>(k)];
        }
    }
    return l;
}

template <class T>
class IncompleteFactors : public ::testing::Test {};
using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(IncompleteFactors, Types);

/// On A's pattern L L' is A there (Meijerink and van der Vorst 1977), up to rounding.
TYPED_TEST(IncompleteFactors, OnThePatternOfAGiveAThere) {
    using T = TypeParam;
    OpenMP maker(1);
    const auto check = [](const HostCsr<T>& a) {
        const auto factor = cholesky::incomplete_factor(a, {});
        ASSERT_EQ(factor.shift, 0);
        const Index n = a.n_rows;
        const std::vector<long double> l = dense_lower(factor), full = dense(a);
        Size stored = 0;
        a.row_ptr.visit([&](const auto* row_ptr) {
            for (Index i = 0; i < n; ++i) {
                for (Size e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
                    const Index j = a.col_idx[e];
                    if (j > i) continue;
                    ++stored;
                    long double sum = 0, absolute = 0;
                    for (Index k = 0; k <= j; ++k) {
                        const long double product = l[place(i, n, k)] * l[place(j, n, k)];
                        sum += product;
                        absolute += std::abs(product);
                    }
                    // Scaling A and L rounds some times more.
                    ASSERT_TRUE(within(sum, full[place(i, n, j)], 4 * sum_bound<T>(n, absolute))) << i << " " << j;
                }
            }
        });
        EXPECT_EQ(factor.nonzeros(), stored);
    };
    check(poisson2d<T>(maker, 11, 9));
    check(jump_diffusion3d<T>(maker, 5, 5, 5, {.contrast = 100}));
    check(elasticity3d<T>(maker, 1, 1, 1));
}

/// Levels of fill as they are added up in an elimination (Saad 2003, section 10.3.3), row-major: none where there is no
/// fill.
std::vector<Size> dense_levels(const HostCsr<double>& a) {
    constexpr Size none = 1 << 20;
    const Index n = a.n_rows;
    std::vector<Size> level(place(n, n, 0), none);
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < n; ++i) {
            for (Size e = row_ptr[i]; e < row_ptr[i + 1]; ++e) level[place(i, n, a.col_idx[e])] = 0;
        }
    });
    for (Index k = 0; k < n; ++k) {
        for (Index i = k + 1; i < n; ++i) {
            for (Index j = k + 1; j < n; ++j) {
                Size& own = level[place(i, n, j)];
                own = std::min(own, level[place(i, n, k)] + level[place(k, n, j)] + 1);
            }
        }
    }
    return level;
}

TEST(LevelsOfFill, AreThoseOfAnElimination) {
    OpenMP maker(1);
    const auto check = [](const HostCsr<double>& a) {
        const std::vector<Size> level = dense_levels(a);
        const std::vector<long double> full = dense(a);
        const Index n = a.n_rows;
        for (const Size most : {0, 1, 2, 3, 20}) {
            const HostCsr<double> filled = cholesky::with_fill(a, most, Size{1} << 30);
            filled.row_ptr.visit([&](const auto* row_ptr) {
                for (Index i = 0; i < n; ++i) {
                    Size e = row_ptr[i];
                    for (Index j = i; j < n; ++j) {
                        if (level[place(i, n, j)] > most) continue;
                        ASSERT_LT(e, row_ptr[i + 1]) << i << " " << j;
                        ASSERT_EQ(filled.col_idx[e], j) << i << ", level " << most;
                        ASSERT_EQ(filled.values[e], full[place(i, n, j)]);
                        ++e;
                    }
                    ASSERT_EQ(e, row_ptr[i + 1]) << i << ", level " << most;
                }
            });
        }
    };
    check(poisson2d<double>(maker, 7, 6));
    check(jump_diffusion3d<double>(maker, 4, 3, 4, {.contrast = 100}));
    check(elasticity3d<double>(maker, 2, 1, 1));
    check(random_spd(60, 1, 1, 0, 5));
    check(random_spd(20, 1, 2, 1, 7));
    check(random_spd(5, 0, 1, 0, 5));
    EXPECT_EQ(cholesky::with_fill(poisson1d<double>(maker, 9), 3, Size{1} << 30).nnz(), 17) << "a path has no fill";
}

/// L L' is A where L has entries, with zeros that A does not store.
TYPED_TEST(IncompleteFactors, WithLevelsOfFillGiveAOnThem) {
    using T = TypeParam;
    OpenMP maker(1);
    const auto a = jump_diffusion3d<T>(maker, 5, 4, 5, {.contrast = 100});
    const Index n = a.n_rows;
    Size before = (a.nnz() + n) / 2;
    for (const Size level : {1, 2, 3}) {
        const auto factor = cholesky::incomplete_factor(a, {.level = level});
        ASSERT_EQ(factor.shift, 0);
        EXPECT_GT(factor.nonzeros(), before);
        before = factor.nonzeros();
        const std::vector<long double> l = dense_lower(factor), full = dense(a);
        for (Index j = 0; j < n; ++j) {
            for (Size e = factor.start[static_cast<std::size_t>(j)]; e < factor.start[static_cast<std::size_t>(j) + 1];
                 ++e) {
                const Index i = factor.rows[static_cast<std::size_t>(e)];
                long double sum = 0, absolute = 0;
                for (Index k = 0; k <= j; ++k) {
                    const long double product = l[place(i, n, k)] * l[place(j, n, k)];
                    sum += product;
                    absolute += std::abs(product);
                }
                ASSERT_TRUE(within(sum, full[place(i, n, j)], 4 * sum_bound<T>(n, absolute))) << i << " " << j;
            }
        }
    }
}

TEST(IncompleteCholesky, LevelsOfFillEndInTheCompleteFactor) {
    OpenMP backend(2);
    const auto a = poisson2d<double>(backend, 5, 30);  // a band of five: fill of level 5 at most
    const HostVector<double> b = random_vector<double>(a.n_rows, 3);
    Size before = a.n_rows;
    for (const Size level : {0, 1, 2, 5}) {
        const IncompleteCholesky<OpenMP, double> m(backend, a, {.level = level});
        HostVector<double> x(a.n_rows, 0.0);
        const SolveResult result = cg(backend, a, m, b, x, {.rtol = 1e-10});
        EXPECT_EQ(result.reason, StopReason::converged);
        EXPECT_LE(true_relative_residual(a, b, x), 1.01e-10);
        EXPECT_LT(result.iterations, before) << level;
        before = result.iterations;
        if (level < 5) continue;
        EXPECT_LE(result.iterations, 2);
        const std::vector<long double> full = dense(a);
        const DenseFill fill(a.n_rows, [&](Index i, Index j) { return full[place(i, a.n_rows, j)] != 0; });
        Size complete = 0;
        for (Index i = 0; i < a.n_rows; ++i) {
            for (Index j = 0; j <= i; ++j) complete += fill(i, j);
        }
        EXPECT_EQ(m.details().factorisation->nonzeros, complete);
    }
}

/// A row that is coupled to all comes first: level 1 fills the matrix, which is found out while entries are counted.
TEST(IncompleteCholesky, LevelsOfFillWithoutRoomAreRefused) {
    const auto a = random_spd(300, 0, 1, 1, 5);
    const Size all = 300 * 301 / 2, bytes = 4 * 12;
    EXPECT_EQ(cholesky::with_fill(a, 1, all * bytes).nnz(), all);
    EXPECT_THROW(cholesky::with_fill(a, 1, all * bytes - 1), OutOfMemory);
    EXPECT_NO_THROW(cholesky::with_fill(a, 0, 2 * 300 * bytes));
}

/// A threshold that drops nothing, with room for all, gives the complete factor.
TYPED_TEST(IncompleteFactors, WithRoomForAllAreComplete) {
    using T = TypeParam;
    OpenMP maker(1);
    const auto a = jump_diffusion3d<T>(maker, 4, 4, 4, {.contrast = 100});
    const auto factor = cholesky::incomplete_factor(a, {.threshold = 1e-30, .fill = 100});
    const std::vector<long double> l = dense_lower(factor), full = dense(a);
    for (Index i = 0; i < a.n_rows; ++i) {
        for (Index j = 0; j <= i; ++j) {
            long double sum = 0, absolute = 0;
            for (Index k = 0; k <= j; ++k) {
                const long double product = l[place(i, a.n_rows, k)] * l[place(j, a.n_rows, k)];
                sum += product;
                absolute += std::abs(product);
            }
            ASSERT_TRUE(within(sum, full[place(i, a.n_rows, j)], 4 * sum_bound<T>(a.n_rows, absolute)));
        }
    }
}

TEST(IncompleteCholesky, ThresholdsTradeFillForIterations) {
    OpenMP backend(2);
    const auto a = poisson2d<double>(backend, 60, 60);
    const HostVector<double> b = random_vector<double>(a.n_rows, 3);
    const auto run = [&](const cholesky::IncompleteOptions& options, Size& nonzeros) {
        const IncompleteCholesky<OpenMP, double> m(backend, a, options);
        nonzeros = m.details().factorisation->nonzeros;
        HostVector<double> x(a.n_rows, 0.0);
        const SolveResult result = cg(backend, a, m, b, x, {.rtol = 1e-8});
        EXPECT_EQ(result.reason, StopReason::converged);
        return result.iterations;
    };
    Size pattern = 0, some = 0, more = 0;
    const Size first = run({}, pattern), second = run({.threshold = 1e-2}, some),
               third = run({.threshold = 1e-3, .fill = 4}, more);
    EXPECT_EQ(pattern, (a.nnz() + a.n_rows) / 2);
    EXPECT_GT(some, pattern);
    EXPECT_LE(some, 2 * pattern);
    EXPECT_GT(more, some);
    EXPECT_LE(more, 4 * pattern);
    EXPECT_LT(first, 70) << "160 without";
    EXPECT_LT(second, first);
    EXPECT_LT(third, second);
}

TEST(IncompleteCholesky, GivesTheSameBitsOnAnyNumberOfThreads) {
    expect_same_bits_on_threads([](OpenMP& backend, const HostCsr<double>& a) {
        return IncompleteCholesky<OpenMP, double>(backend, a, {.threshold = 0.01});
    });
}

/// Rows of a level depend on levels before it alone, and every level has a row that depends on the one before.
TEST(IncompleteCholesky, LevelsAreAsFewAsTheyCanBe) {
    OpenMP backend(1);
    const auto levels = [&](const HostCsr<double>& a) {
        return IncompleteCholesky<OpenMP, double>(backend, a).details().factorisation->level_sets;
    };
    EXPECT_EQ(levels(poisson1d<double>(backend, 40)), 40);
    EXPECT_EQ(levels(poisson2d<double>(backend, 9, 7)), 15) << "diagonals of the grid";
    EXPECT_EQ(levels(poisson3d<double>(backend, 5, 6, 7)), 16);
    EXPECT_EQ(levels(random_spd(20, 0, 1, 0, 5)), 1);
}

/// Incomplete factors may not exist where the complete one does.
TEST(IncompleteCholesky, ShiftsWhatHasNoFactor) {
    OpenMP backend(1);
    // Kershaw 1978: positive definite, and without an incomplete factor on its pattern.
    const auto a = csr_from_rows<double>(4, {{{0, 3.0}, {1, -2.0}, {3, 2.0}},
                                             {{0, -2.0}, {1, 3.0}, {2, -2.0}},
                                             {{1, -2.0}, {2, 3.0}, {3, -2.0}},
                                             {{0, 2.0}, {2, -2.0}, {3, 3.0}}});
    const IncompleteCholesky<OpenMP, double> m(backend, a);
    EXPECT_GT(m.details().factorisation->shift, 0);
    HostVector<double> x(4, 0.0);
    const SolveResult result = cg(backend, a, m, random_vector<double>(4, 3), x, {.rtol = 1e-10});
    EXPECT_EQ(result.reason, StopReason::converged);
    EXPECT_LE(result.iterations, 5);
}

TEST(IncompleteCholesky, IndefiniteMatricesAreNotSaidToBeSolved) {
    OpenMP backend(1);
    auto a = poisson2d<double>(backend, 30, 30);
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) a.values[k] -= a.col_idx[k] == i ? 1.0 : 0;
        }
    });
    const IncompleteCholesky<OpenMP, double> m(backend, a);
    HostVector<double> x(a.n_rows, 0.0);
    EXPECT_EQ(cg(backend, a, m, random_vector<double>(a.n_rows, 3), x).reason, StopReason::not_positive_definite);
}

TEST(IncompleteCholesky, RefusesByRow) {
    OpenMP backend(1);
    const auto refused = [&](double diagonal, double other, const cholesky::IncompleteOptions& options = {}) {
        return refusal([&] {
            IncompleteCholesky<OpenMP, double>(
                backend, csr_from_rows<double>(3, {{{0, 2.0}, {2, other}}, {{1, diagonal}}, {{0, other}, {2, 2.0}}}),
                options);
        });
    };
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    EXPECT_EQ(refused(1, 1), "");
    for (const double bad : {0.0, -1.0, nan, inf}) {
        EXPECT_NE(refused(bad, 1).find("(2, 2) is"), std::string::npos) << bad;
    }
    for (const double bad : {nan, inf, -inf}) EXPECT_NE(refused(1, bad).find("(1, 3) is"), std::string::npos) << bad;
    EXPECT_NE(refused(1, 1e40).find("outweigh"), std::string::npos);
    EXPECT_NE(refused(1, 1, {.threshold = -1}).find("threshold"), std::string::npos);
    EXPECT_NE(refused(1, 1, {.threshold = 0.1, .fill = 0.5}).find("fill"), std::string::npos);
    EXPECT_EQ(refused(1, 1, {.level = 2}), "");
    EXPECT_NE(refused(1, 1, {.level = -1}).find("level"), std::string::npos);
    EXPECT_NE(refused(1, 1, {.threshold = 0.1, .level = 1}).find("exclude"), std::string::npos);
    for (const double bad : {nan, inf, -inf}) {
        EXPECT_NE(refused(1, bad, {.level = 1}).find("(1, 3) is"), std::string::npos) << bad;
        EXPECT_NE(refused(bad, 1, {.level = 1}).find("(2, 2) is"), std::string::npos) << bad;
    }
}

}  // namespace
}  // namespace stiefel::test
