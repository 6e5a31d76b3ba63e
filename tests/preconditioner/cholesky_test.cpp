#include "stiefel/preconditioner/cholesky/cholesky.hpp"
#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/block_cg.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/spmv.hpp"

#include "support/bounds.hpp"
#include "support/csr_checks.hpp"
#include "support/dense_symbolic.hpp"
#include "support/laplacians.hpp"
#include "support/matrices.hpp"
#include "support/true_residual.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace stiefel::test {
namespace {

using Lower = std::vector<long double>;

/// L, row after row, and A in its order.
template <class T>
struct DenseFactor {
    explicit DenseFactor(const cholesky::Factor<T>& factor, const HostCsr<T>& matrix)
        : n(factor.symbolic().n), l(size(), 0), a(size(), 0) {
        const cholesky::Symbolic& symbolic = factor.symbolic();
        const std::vector<long double> full = dense(matrix);
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j < n; ++j) {
                a[at(i, j)] = full[static_cast<std::size_t>(Size{symbolic.order[i]} * n + symbolic.order[j])];
            }
        }
        for (Index s = 0; s < symbolic.size(); ++s) {
            const auto block = factor.columns(s);
            const Index first = symbolic.first_column[s];
            for (Index j = 0; j < block.width; ++j) {
                for (Index i = j; i < block.width; ++i) {
                    const long double value = block.l1[i + j * block.ld1];
                    l[at(first + i, first + j)] = i == j ? 1 / value : value;
                }
                for (Index i = 0; i < block.height; ++i) {
                    l[at(symbolic.rows[symbolic.row_start[s] + i], first + j)] = block.l2[i + j * block.ld2];
                }
            }
        }
    }

    std::size_t size() const { return static_cast<std::size_t>(Size{n} * n); }
    std::size_t at(Index i, Index j) const { return static_cast<std::size_t>(Size{i} * n + j); }

    Index n;
    Lower l, a;
};

template <class T>
cholesky::Factor<T> factor_of(const HostCsr<T>& a, int threads = 1) {
    cholesky::Factor<T> factor(cholesky::Analysis(cholesky::compressed_graph(a)).symbolic(), threads);
    factor.compute(a);
    return factor;
}

template <class T>
HostCsr<T> rounded(const HostCsr<double>& a) {
    HostCsr<T> copy{.n_rows = a.n_rows, .n_cols = a.n_cols};
    a.row_ptr.visit([&](const auto* row_ptr) {
        HostVector<std::int32_t> offsets(Size{a.n_rows} + 1);
        for (Index i = 0; i <= a.n_rows; ++i) offsets[i] = static_cast<std::int32_t>(row_ptr[i]);
        copy.row_ptr = RowOffsets<HostMemory>(std::move(offsets));
    });
    copy.col_idx = a.col_idx.clone();
    copy.values = HostVector<T>(a.nnz());
    for (Size k = 0; k < a.nnz(); ++k) copy.values[k] = static_cast<T>(a.values[k]);
    return copy;
}

template <class T>
class CholeskyFactor : public ::testing::Test {};
using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(CholeskyFactor, Types);

/// |A - L L'| <= (n + 2) eps |L| |L'|, entry by entry (Higham 2002, theorem 10.3).
TYPED_TEST(CholeskyFactor, GivesBackTheMatrix) {
    using T = TypeParam;
    OpenMP maker(1);
    const auto check = [](const HostCsr<double>& exact) {
        const HostCsr<T> a = rounded<T>(exact);
        const cholesky::Factor<T> factor = factor_of(a);
        EXPECT_EQ(factor.shift(), 0);
        const DenseFactor<T> found(factor, a);
        for (Index i = 0; i < found.n; ++i) {
            for (Index j = 0; j <= i; ++j) {
                long double sum = 0, absolute = 0;
                for (Index k = 0; k <= j; ++k) {
                    const long double product = found.l[found.at(i, k)] * found.l[found.at(j, k)];
                    sum += product;
                    absolute += std::abs(product);
                }
                ASSERT_TRUE(within(sum, found.a[found.at(i, j)], sum_bound<T>(found.n, absolute))) << i << " " << j;
            }
        }
    };
    check(poisson2d<double>(maker, 17, 13));
    check(jump_diffusion3d<double>(maker, 6, 6, 6, {.contrast = 1000}));
    check(elasticity3d<double>(maker, 4, 3, 3));
    check(random_spd(90, 3, 1, 0, 1));
    check(random_spd(40, 2, 3, 1, 2));
    check(random_spd(70, 0.5, 1, 0, 3));
    check(random_spd(150, 150, 1, 150, 4));
    check(random_spd(1, 0, 1, 0, 5));
}

template <class T>
HostVector<T> applied(int threads, const HostCsr<T>& a, const HostVector<T>& r, Index k) {
    OpenMP backend(threads);
    Cholesky<OpenMP, T> m(backend, a);
    m.reserve(backend, k);
    HostVector<T> z(r.size());
    precondition(backend, m, {r.data(), a.n_rows, k, k}, {z.data(), a.n_rows, k, k});
    return z;
}

TYPED_TEST(CholeskyFactor, GivesTheSameBitsOnAnyNumberOfThreads) {
    using T = TypeParam;
    OpenMP maker(1);
    const auto check = [](const HostCsr<T>& a) {
        const HostVector<T> r = random_vector<T>(Size{a.n_rows} * 3, 3);
        const HostVector<T> expected = applied<T>(1, a, r, 3);
        for (const int threads : {2, 4, 7}) {
            const HostVector<T> z = applied<T>(threads, a, r, 3);
            EXPECT_EQ(std::memcmp(z.data(), expected.data(), static_cast<std::size_t>(z.bytes())), 0) << threads;
        }
        Serial serial;
        Cholesky<Serial, T> m(serial, a);
        m.reserve(serial, 3);
        HostVector<T> z(r.size());
        precondition(serial, m, {r.data(), a.n_rows, 3, 3}, {z.data(), a.n_rows, 3, 3});
        EXPECT_EQ(std::memcmp(z.data(), expected.data(), static_cast<std::size_t>(z.bytes())), 0);
    };
    check(elasticity3d<T>(maker, 10, 9, 9));
    check(jump_diffusion3d<T>(maker, 16, 16, 16, {}));
}

/// M = A^-1: one iteration in exact arithmetic, and the true residual decides.
TEST(Cholesky, LeavesConjugateGradientsLittleToDo) {
    OpenMP backend(2);
    const auto check = [&](const HostCsr<double>& a) {
        const HostVector<double> b = random_vector<double>(a.n_rows, 3);
        HostVector<double> x(a.n_rows, 0.0);
        const Cholesky<OpenMP, double> m(backend, a);
        const SolveResult result = cg(backend, a, m, b, x, {.rtol = 1e-10});
        EXPECT_EQ(result.reason, StopReason::converged);
        EXPECT_LE(result.iterations, 2);
        EXPECT_LE(true_relative_residual(a, b, x), 1.01e-10);
    };
    check(poisson2d<double>(backend, 50, 40));
    check(elasticity3d<double>(backend, 5, 5, 5));
    check(jump_diffusion3d<double>(backend, 10, 10, 10, {.contrast = 1e6}));
}

TEST(Cholesky, ServesWhatIsSymmetricUpToRounding) {
    constexpr Index n = 20;
    OpenMP maker(1);
    const HostCsr<double> grid = poisson2d<double>(maker, n, n);
    std::vector<std::vector<std::pair<Index, double>>> rows(static_cast<std::size_t>(n * n));
    grid.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < n * n; ++i) {
            auto& row = rows[static_cast<std::size_t>(i)];
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) row.emplace_back(grid.col_idx[k], grid.values[k]);
            if (i % 3 != 0) continue;
            row.emplace_back((i + 150) % (n * n), 1e-17);  // and nothing at the mirrored place
            std::sort(row.begin(), row.end());
        }
    });
    const HostCsr<double> a = csr_from_rows(n * n, rows);
    const HostVector<double> b = random_vector<double>(n * n, 3);
    HostVector<double> x(n * n, 0.0);
    OpenMP backend(2);
    const SolveResult result = cg(backend, a, Cholesky<OpenMP, double>(backend, a), b, x, {.rtol = 1e-10});
    EXPECT_EQ(result.reason, StopReason::converged);
    EXPECT_LE(result.iterations, 2);
    EXPECT_LE(true_relative_residual(a, b, x), 1.1e-10);
}

TEST(Cholesky, ServesBlocks) {
    OpenMP backend(2);
    constexpr Index k = 5;
    const auto a = elasticity3d<double>(backend, 6, 5, 4);
    const HostMultivector<double> b(random_vector<double>(Size{a.n_rows} * k, 3), a.n_rows, k);
    HostMultivector<double> x(HostVector<double>(Size{a.n_rows} * k, 0.0), a.n_rows, k);
    Cholesky<OpenMP, double> m(backend, a);
    m.reserve(backend, k);
    const auto result = block_cg(backend, a, m, b, x, {.rtol = 1e-10});
    EXPECT_EQ(result.reason, StopReason::converged);
    EXPECT_LE(result.iterations, 2);
}

TEST(Cholesky, WantsRoomForTheColumnsOfAPanel) {
    Serial backend;
    OpenMP maker(1);
    const auto a = poisson2d<double>(maker, 5, 5);
    const Cholesky<Serial, double> m(backend, a);
    const HostVector<double> r(50, 1.0);
    HostVector<double> z(50);
    EXPECT_NE(refusal([&] {
                  precondition(backend, m, {r.data(), 25, 2, 2}, {z.data(), 25, 2, 2});
              }).find("columns"),
              std::string::npos);
}

TEST(Cholesky, TellsWhatItIs) {
    OpenMP backend(2);
    const auto a = poisson2d<double>(backend, 30, 30);
    const Cholesky<OpenMP, double> m(backend, a);
    const PreconditionerDetails about = m.details();
    ASSERT_TRUE(about.factorisation);
    EXPECT_GE(about.factorisation->nonzeros, (a.nnz() + 900) / 2);
    EXPECT_GT(about.factorisation->flops, static_cast<double>(about.factorisation->nonzeros));
    EXPECT_EQ(about.factorisation->shift, 0);
    EXPECT_GE(about.bytes, 8 * about.factorisation->nonzeros);
    EXPECT_FALSE(about.empty());
    double steps = 0;
    for (const auto& step : about.setup) steps += step.seconds;
    EXPECT_GT(steps, 0);
    EXPECT_LE(steps, about.seconds);
    EXPECT_NE(summary(about).find("nonzeros in L"), std::string::npos);
    EXPECT_EQ(m.work(1).flops, 4.0 * static_cast<double>(about.factorisation->nonzeros));
}

/// Constants are the null space: a pivot is rounding errors, and M is that of a shifted matrix.
TEST(CholeskyShift, SingularSystemsAreSolvedWhereConsistent) {
    OpenMP backend(1);
    LaplacianRows rows;
    for (const Index n : {300, 4, 70}) append_ring(n, 0.7, rows);
    const auto check = [&](const HostCsr<double>& a) {
        HostVector<double> b(a.n_rows, 0.0), x(a.n_rows, 0.0);
        spmv(backend, a, random_vector<double>(a.n_rows, 2), b);
        const Cholesky<OpenMP, double> m(backend, a);
        EXPECT_GT(m.details().factorisation->shift, 0);
        EXPECT_LT(m.details().factorisation->shift, 1e-12);
        const SolveResult result = cg(backend, a, m, b, x, {.rtol = 1e-8});
        EXPECT_EQ(result.reason, StopReason::converged);
        EXPECT_LE(result.iterations, 3);
    };
    check(path_laplacian(500));
    check(csr_from_rows<double>(static_cast<Index>(rows.size()), rows));
}

/// Single precision has no factor of what double has one of: iterations make up for the shift.
TEST(CholeskyShift, SinglePrecisionMakesUpForIt) {
    OpenMP backend(1);
    const auto a = poisson1d<float>(backend, 3000);  // condition 4e6
    const Cholesky<OpenMP, float> m(backend, a);
    const HostVector<float> b = random_vector<float>(a.n_rows, 2);
    HostVector<float> x(a.n_rows, 0.0F);
    const SolveResult result = cg(backend, a, m, b, x, {.rtol = 1e-3, .max_iterations = 200, .matrix_norm = 4});
    // Rounding x alone leaves a residual near the tolerance.
    const bool as_far_as_single_can = result.reason == StopReason::stagnated && result.evidence == Evidence::rounding;
    EXPECT_TRUE(result.reason == StopReason::converged || as_far_as_single_can) << to_string(result.reason);
    ASSERT_TRUE(result.accuracy);
    EXPECT_LE(result.accuracy->backward_error, 1e-6);
}

TEST(CholeskyShift, IndefiniteMatricesAreNotSaidToBeSolved) {
    OpenMP backend(1);
    for (const double shift : {0.02, 1.0, 3.9}) {
        auto a = poisson2d<double>(backend, 40, 40);
        a.row_ptr.visit([&](const auto* row_ptr) {
            for (Index i = 0; i < a.n_rows; ++i) {
                for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) a.values[k] -= a.col_idx[k] == i ? shift : 0;
            }
        });
        const Cholesky<OpenMP, double> m(backend, a);
        EXPECT_GT(m.details().factorisation->shift, 0);
        HostVector<double> x(a.n_rows, 0.0);
        const SolveResult result = cg(backend, a, m, random_vector<double>(a.n_rows, 3), x);
        EXPECT_EQ(result.reason, StopReason::not_positive_definite) << shift;
    }
}

/// A few powers of ten from the ends of the range, and entries that no shift of a usual size outweighs.
TEST(CholeskyBadInput, HugeRangesAreSolved) {
    OpenMP backend(1);
    for (const double scale : {1e-290, 1e290, 1.0}) {
        auto a = jump_diffusion3d<double>(backend, 7, 7, 7, {.contrast = 1e8});
        for (double& value : a.values) value *= scale;
        HostVector<double> x(a.n_rows, 0.0);
        const Cholesky<OpenMP, double> m(backend, a);
        const SolveResult result = cg(backend, a, m, random_vector<double>(a.n_rows, 1), x);
        EXPECT_EQ(result.reason, StopReason::converged) << scale;
        EXPECT_LE(result.iterations, 2) << scale;
    }
    const auto wild = csr_from_rows<double>(2, {{{0, 1.0}, {1, 1e40}}, {{0, 1e40}, {1, 1.0}}});
    EXPECT_NE(refusal([&] { Cholesky<OpenMP, double>(backend, wild); }).find("outweigh"), std::string::npos);
}

TEST(CholeskyBadInput, IsRefusedByRow) {
    OpenMP backend(1);
    const auto refused = [&](double diagonal, double other) {
        return refusal([&] {
            Cholesky<OpenMP, double>(
                backend, csr_from_rows<double>(3, {{{0, 2.0}, {2, other}}, {{1, diagonal}}, {{0, other}, {2, 2.0}}}));
        });
    };
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    EXPECT_EQ(refused(1, 1), "");
    for (const double bad : {0.0, -1.0, nan, inf})
        EXPECT_NE(refused(bad, 1).find("(2, 2) is"), std::string::npos) << bad;
    for (const double bad : {nan, inf, -inf}) EXPECT_NE(refused(1, bad).find("(1, 3) is"), std::string::npos) << bad;
    const auto missing = csr_from_rows<double>(2, {{{0, 1.0}, {1, 0.5}}, {{0, 0.5}}});
    EXPECT_NE(refusal([&] { Cholesky<OpenMP, double>(backend, missing); }).find("(2, 2) is 0"), std::string::npos);
    const auto wide = csr_from_rows<double>(3, {{{0, 1.0}}, {{1, 1.0}}});
    EXPECT_NE(refusal([&] { Cholesky<OpenMP, double>(backend, wide); }).find("square"), std::string::npos);
}

TEST(Cholesky, IsGivenUpWhereItIsStopped) {
    OpenMP maker(2);
    const auto a = poisson3d<double>(maker, 12, 13, 14);
    for (const int threads : {1, 3}) {
        OpenMP backend(threads);
        const auto caller = std::this_thread::get_id();
        int asked = 0;
        const auto stopped = [&](bool answer) {
            return [&asked, caller, answer] {
                EXPECT_EQ(std::this_thread::get_id(), caller);
                ++asked;
                return answer;
            };
        };
        EXPECT_THROW((Cholesky<OpenMP, double>(backend, a, nullptr, stopped(true))), GivenUp);
        EXPECT_EQ(asked, 1);
        const Cholesky<OpenMP, double> m(backend, a, nullptr, stopped(false));
        EXPECT_GE(asked, 2);
        EXPECT_EQ(m.details().factorisation->shift, 0) << "it has not failed";
    }
}

/// A factor of tebibytes is refused by what is known beforehand.
TEST(CholeskyBadInput, FactorsWithoutRoomAreRefused) {
    constexpr Index n = 1 << 21;
    cholesky::Symbolic full{.n = n, .nonzeros = Size{n} * (n + 1) / 2};
    full.first_column = {0, n};
    full.parent = {-1};
    full.first_child = {-1};
    full.next_sibling = {-1};
    full.first_below = {0};
    full.row_start = {0, 0};
    try {
        const cholesky::Factor<double> factor(std::move(full), 2);
        FAIL() << "32 TiB";
    } catch (const OutOfMemory& problem) {
        EXPECT_GE(problem.bytes_asked(), 8 * Size{n} * n);
        EXPECT_NE(std::string(problem.what()).find("2.2e+12 nonzeros"), std::string::npos) << problem.what();
    }
}

}  // namespace
}  // namespace stiefel::test
