#include "stiefel/preconditioner/fsai/fsai.hpp"
#include "stiefel/preconditioner/fsai/couplings.hpp"
#include "stiefel/preconditioner/fsai/factor.hpp"
#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/block_cg.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/spmv.hpp"

#include "support/backends.hpp"
#include "support/bounds.hpp"
#include "support/csr_checks.hpp"
#include "support/dense_symbolic.hpp"
#include "support/fsai_reference.hpp"
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

using FsaiOptions = fsai::Options;

template <class B, class T>
Fsai<B, T> make_fsai(B& backend, const HostCsr<T>& a, const FsaiOptions& options = {}, Index columns = 1) {
    return {backend, a, options, columns};
}

/// For checks of a matrix scaled to a unit diagonal: even couplings, uneven ones, rows as long as any may be.
template <class Check>
void on_scaled_systems(Check&& check) {
    OpenMP maker(2);
    const auto on = [&](const HostCsr<double>& a) { check(fsai::scaled_system(maker, a).s); };
    on(poisson2d<double>(maker, 11, 9));
    on(jump_diffusion3d<double>(maker, 5, 5, 5, {.contrast = 1000}));
    on(elasticity3d<double>(maker, 2, 1, 1));
    on(random_spd(FsaiOptions::longest_row / 2, 3, 2, 1, 5));
}

/// But for rows that are too long: some of their columns.
TEST(FsaiPatterns, AreThoseOfThePowersLowerTriangle) {
    on_scaled_systems([](const HostCsr<double>& s) {
        OpenMP backend(2);
        for (const double threshold : {0.0, 0.1}) {
            const HostCsr<double> couplings = fsai::strong_couplings(backend, s, threshold);
            const std::vector<bool> strong = strong_reference(s, threshold);
            std::vector<bool> power = strong;
            for (Size k = 1; k <= FsaiOptions::most_power; ++k) {
                fsai::RowPatterns patterns(couplings, k);
                for (Index i = 0; i < s.n_rows; ++i) {
                    std::vector<Index> expected, found;
                    for (Index j = 0; j <= i; ++j) {
                        if (power[static_cast<std::size_t>(i * s.n_rows + j)]) expected.push_back(j);
                    }
                    patterns.append(i, found);
                    if (expected.size() > std::size_t{FsaiOptions::longest_row}) {
                        ASSERT_EQ(found.size(), std::size_t{FsaiOptions::longest_row}) << i << " of power " << k;
                        ASSERT_TRUE(std::ranges::includes(expected, found)) << i << " of power " << k;
                    } else {
                        ASSERT_EQ(found, expected) << i << " of power " << k;
                    }
                }
                power = boolean_product(power, strong, s.n_rows);
            }
        }
    });
}

/// What stays of a row that is too long is not smaller than anything that was left out.
TEST(FsaiPatterns, KeepTheLargestOfLongRows) {
    constexpr Index n = 400;
    std::vector<std::vector<std::pair<Index, double>>> rows(n);
    for (Index i = 0; i < n; ++i) {
        if (i > 0) rows[static_cast<std::size_t>(i)].emplace_back(0, 1.0 / (1 + i * 37 % n) / 100);
        rows[static_cast<std::size_t>(i)].emplace_back(i, 1.0);
    }
    for (Index i = 1; i < n; ++i) rows[0].emplace_back(i, rows[static_cast<std::size_t>(i)][0].second);
    const auto s = csr_from_rows<double>(n, rows);
    OpenMP backend(2);
    const HostCsr<double> couplings = fsai::strong_couplings(backend, s, 0);
    couplings.row_ptr.visit([&](const auto* row_ptr) {
        ASSERT_EQ(row_ptr[1], FsaiOptions::longest_row);
        EXPECT_EQ(couplings.col_idx[0], 0);
        for (Size e = 1; e < row_ptr[1]; ++e) EXPECT_GE(couplings.values[e], 1.0 / FsaiOptions::longest_row / 100);
    });
    for (const Size power : {1, 2, 3}) {
        fsai::RowPatterns patterns(couplings, power);
        for (Index i = 0; i < n; ++i) {
            std::vector<Index> cols;
            patterns.append(i, cols);
            ASSERT_LE(cols.size(), static_cast<std::size_t>(FsaiOptions::longest_row));
            ASSERT_EQ(cols.back(), i);
        }
    }
}

/// Every row of G against a dense solution of its local system in extended precision.
TEST(FsaiFactor, HasTheRowsOfItsLocalSystems) {
    on_scaled_systems([](const HostCsr<double>& s) {
        OpenMP backend(2);
        for (const Size steps : {1, 3, 8}) {
            const fsai::Factor found =
                fsai::factor(backend, s, {.threshold = 0, .steps = steps, .drop = 0}, fsai::least_pivot<double>);
            EXPECT_EQ(found.jacobi_rows, 0);
            expect_local_solutions(s, found.g);
        }
        for (const Size power : {1, 2, 3}) {
            const fsai::Factor found =
                fsai::factor(backend, s, {.power = power, .threshold = 0.01, .drop = 0}, fsai::least_pivot<double>);
            EXPECT_EQ(found.jacobi_rows, 0);
            expect_local_solutions(s, found.g);
        }
    });
}

/// Small entries are gone, others stay, and rows are scaled again.
TEST(FsaiFactor, DropsAndScales) {
    on_scaled_systems([](const HostCsr<double>& s) {
        OpenMP backend(2);
        const auto made = [&](double drop) {
            return fsai::factor(backend, s, {.power = 2, .threshold = 0, .drop = drop}, fsai::least_pivot<double>).g;
        };
        const HostCsr<double> full = made(0), some = made(0.1);
        expect_unit_energy(s, full);
        expect_unit_energy(s, some);
        expect_dropped(full, some, 0.1);
    });
}

TEST(FsaiFactor, HasTheSameBitsOnAnyNumberOfThreads) {
    OpenMP maker(1);
    const auto s = fsai::scaled_system(maker, jump_diffusion3d<double>(maker, 20, 20, 20, {.contrast = 100})).s;
    for (const Size steps : {0, 4}) {
        const auto made = [&](int threads) {
            OpenMP backend(threads);
            const FsaiOptions options{.power = 2, .threshold = 0.01, .steps = steps, .drop = 0.01};
            return fsai::factor(backend, s, options, fsai::least_pivot<double>).g;
        };
        const HostCsr<double> expected = made(1);
        for (const int threads : {2, 3, 4}) expect_same_bits(made(threads), expected);
    }
}

/// With room for all, G is the inverse of the Cholesky factor, and M that of A.
TEST(FsaiFactor, OfAFullPatternIsTheInverse) {
    Serial backend;
    const auto a = random_spd(12, 12, 3, 12, 5);
    const auto m = make_fsai(backend, a, {.power = 1, .threshold = 0, .drop = 0});
    HostVector<double> x(a.n_rows, 0.0);
    EXPECT_LE(cg(backend, a, m, random_vector<double>(a.n_rows, 3), x, {.rtol = 1e-6}).iterations, 2);
}

template <class Case>
class FsaiOn : public ::testing::Test {
protected:
    typename Case::backend backend;
};
TYPED_TEST_SUITE(FsaiOn, EveryBackendAndType);

/// D^-1/2 G' G D^-1/2, as G is found.
TYPED_TEST(FsaiOn, AppliesItsFactorTwice) {
    using T = typename TypeParam::type;
    OpenMP maker(1);
    const auto a = jump_diffusion3d<T>(maker, 6, 5, 4, {.contrast = 1e4});
    const FsaiOptions options{.power = 2, .threshold = 0.01, .drop = 0.01};
    const auto scaled = fsai::scaled_system(maker, a);
    const auto g = fsai::factor(maker, scaled.s, options, fsai::least_pivot<double>).g;
    const auto m = make_fsai(this->backend, a, options);
    const HostVector<T> r = random_vector<T>(a.n_rows, 3);
    HostVector<T> z(r.size(), std::numeric_limits<T>::quiet_NaN());
    precondition_vector(this->backend, m, r, z);
    const auto [expected, absolute] = applied_reference(g, scaled.inverse_roots, r);
    for (Index i = 0; i < a.n_rows; ++i) {
        const auto e = static_cast<std::size_t>(i);
        ASSERT_TRUE(within(z[i], expected[e], sum_bound<T>(60, absolute[e]))) << i;
    }
}

/// Fewer iterations the more G may hold.
TYPED_TEST(FsaiOn, TakesFewerIterationsWithMoreEntries) {
    using T = typename TypeParam::type;
    OpenMP maker(1);
    const auto a = jump_diffusion3d<T>(maker, 14, 14, 14, {.contrast = 1e3});
    const HostVector<T> b = random_vector<T>(a.n_rows, 3);
    const auto iterations = [&](const auto& m) {
        HostVector<T> x(a.n_rows, T{0});
        const SolveResult result = cg(this->backend, a, m, b, x, {.rtol = 1e-5});
        EXPECT_EQ(result.reason, StopReason::converged);
        return result.iterations;
    };
    const auto of = [&](Size power) {
        return iterations(make_fsai(this->backend, a, {.power = power, .threshold = 0, .drop = 0}));
    };
    const Size jacobi = iterations(make_jacobi(this->backend, a)), one = of(1), two = of(2), three = of(3);
    EXPECT_LT(one, 0.7 * static_cast<double>(jacobi));
    EXPECT_LT(two, one);
    EXPECT_LT(three, two);
}

/// With about as many entries, rows that grow take fewer iterations than those of a power's pattern.
TYPED_TEST(FsaiOn, TakesFewerIterationsWithRowsThatGrow) {
    using T = typename TypeParam::type;
    OpenMP maker(1);
    const auto a = jump_diffusion3d<T>(maker, 14, 14, 14, {.contrast = 1e3});
    const HostVector<T> b = random_vector<T>(a.n_rows, 3);
    const auto made = [&](const FsaiOptions& options) {
        const auto m = make_fsai(this->backend, a, options);
        HostVector<T> x(a.n_rows, T{0});
        const SolveResult result = cg(this->backend, a, m, b, x, {.rtol = 1e-5});
        EXPECT_EQ(result.reason, StopReason::converged);
        EXPECT_LE(true_relative_residual(a, b, x), 1.1e-5L);
        EXPECT_EQ(m.details().sparse_inverse->steps, options.steps);
        return std::pair(result.iterations, m.details().sparse_inverse->nonzeros);
    };
    const auto [of_power, entries_of_power] = made({.power = 2});
    const auto [of_one, entries_of_one] = made({.steps = 1});
    const auto [of_six, entries_of_six] = made({.steps = 6});
    EXPECT_LT(of_six, of_one);
    EXPECT_GT(entries_of_six, entries_of_one);
    EXPECT_LT(static_cast<double>(of_six), 0.95 * static_cast<double>(of_power));
    EXPECT_LT(static_cast<double>(entries_of_six), 1.3 * static_cast<double>(entries_of_power));
}

TYPED_TEST(FsaiOn, TakesNoPanelThatIsWiderThanReserved) {
    using T = typename TypeParam::type;
    OpenMP maker(1);
    const auto a = poisson2d<T>(maker, 5, 5);
    auto m = make_fsai(this->backend, a, {}, 2);
    HostVector<T> r(Size{a.n_rows} * 3, T{1}), z(r.size());
    const auto apply = [&](Index k) {
        precondition(this->backend, m, MatrixView<const T, HostMemory>{r.data(), a.n_rows, k, k},
                     MatrixView<T, HostMemory>{z.data(), a.n_rows, k, k});
    };
    apply(2);
    EXPECT_THROW(apply(3), InvalidArgument);
    m.reserve(this->backend, 3);
    apply(3);
}

TEST(Fsai, KnowsNoRowsAndOne) {
    Serial backend;
    const auto none = csr_from_rows<double>(0, {});
    const auto m = make_fsai(backend, none, {});
    HostVector<double> nothing(0), z(0);
    precondition_vector(backend, m, nothing, z);
    const auto one = csr_from_rows<double>(1, {{{0, 4.0}}});
    const HostVector<double> r(1, 2.0);
    HostVector<double> x(1, std::numeric_limits<double>::quiet_NaN());
    precondition_vector(backend, make_fsai(backend, one, {}), r, x);
    EXPECT_FLOAT_EQ(static_cast<float>(x[0]), 0.5F);
}

/// Scaled by powers of two, A has the same G to the last bit, however wide its diagonal.
TEST(Fsai, DoesNotDependOnTheScalingOfA) {
    OpenMP backend(1);
    auto a = jump_diffusion3d<double>(backend, 6, 6, 6, {.contrast = 100});
    const Fsai<OpenMP, double> m(backend, a);
    const auto factor = [](Index i) { return std::ldexp(1.0, i * 37 % 401 - 200); };
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            for (Size e = row_ptr[i]; e < row_ptr[i + 1]; ++e) a.values[e] *= factor(i) * factor(a.col_idx[e]);
        }
    });
    const Fsai<OpenMP, double> of_scaled(backend, a);
    HostVector<double> r = random_vector<double>(a.n_rows, 3), z(r.size()), of_scaled_z(r.size());
    precondition_vector(backend, m, r, z);
    for (Index i = 0; i < a.n_rows; ++i) r[i] *= factor(i);
    precondition_vector(backend, of_scaled, r, of_scaled_z);
    for (Index i = 0; i < a.n_rows; ++i) ASSERT_EQ(of_scaled_z[i] * factor(i), z[i]) << i;
}

/// Rows whose local systems are not definite have the diagonal alone, the others are right; CG finds out about A.
TEST(Fsai, RowsOfIndefiniteSystemsKeepTheDiagonal) {
    OpenMP backend(1);
    const Index row = 435;
    const HostCsr<double> a = indefinite_grid(backend, row);
    const FsaiOptions options{.power = 1, .threshold = 0, .drop = 0};
    const auto s = fsai::scaled_system(backend, a).s;
    const fsai::Factor found = fsai::factor(backend, s, options, fsai::least_pivot<double>);
    EXPECT_EQ(found.jacobi_rows, 1);
    found.g.row_ptr.visit([&](const auto* row_ptr) {
        EXPECT_EQ(row_ptr[row + 1] - row_ptr[row], 1);
        EXPECT_EQ(found.g.values[row_ptr[row]], 1);
    });
    expect_unit_energy(s, found.g);
    const auto m = make_fsai(backend, a, options);
    EXPECT_EQ(m.details().sparse_inverse->jacobi_rows, 1);
    HostVector<double> x(a.n_rows, 0.0);
    EXPECT_EQ(cg(backend, a, m, random_vector<double>(a.n_rows, 3), x).reason, StopReason::not_positive_definite);

    // A row that grows leaves the column out.
    const fsai::Factor grown = fsai::factor(backend, s, {.steps = 3, .drop = 0}, fsai::least_pivot<double>);
    EXPECT_EQ(grown.jacobi_rows, 0);
    expect_unit_energy(s, grown.g);
    expect_grown_without(grown.g, row, row - 1);
    std::ranges::fill(x, 0.0);
    EXPECT_EQ(cg(backend, a, make_fsai(backend, a, {.steps = 3}), random_vector<double>(a.n_rows, 3), x).reason,
              StopReason::not_positive_definite);
}

TEST(Fsai, DenseRowsAreLimited) {
    constexpr Index n = 3000;
    OpenMP backend(2);
    for (const Index dense_row : {Index{0}, n - 1}) {
        std::vector<std::vector<std::pair<Index, double>>> rows(n);
        for (Index i = 0; i < n; ++i) {
            auto& row = rows[static_cast<std::size_t>(i)];
            for (Index j = 0; j < n; ++j) {
                if (i == j) row.emplace_back(j, 2.0);
                if (i != j && (i == dense_row || j == dense_row)) row.emplace_back(j, -1.0 / n);
            }
        }
        const auto a = csr_from_rows<double>(n, rows);
        for (const Size power : {1, 2, 4, 0}) {
            const bool grows = power == 0;
            const auto m = make_fsai(
                backend, a,
                {.power = grows ? 1 : power, .threshold = 0, .steps = grows ? FsaiOptions::most_steps : 0, .drop = 0});
            EXPECT_LE(m.details().sparse_inverse->nonzeros, Size{n} * FsaiOptions::longest_row);
            HostVector<double> x(n, 0.0);
            EXPECT_LE(cg(backend, a, m, random_vector<double>(n, 3), x, {.rtol = 1e-8}).iterations, 4);
        }
    }
}

TEST(Fsai, RefusesByRow) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    Serial backend;
    const auto refused = [&](double diagonal, double other, const FsaiOptions& options = {}) {
        return refusal([&] {
            make_fsai(backend,
                      csr_from_rows<double>(3, {{{0, 2.0}, {2, other}}, {{1, diagonal}}, {{0, other}, {2, 2.0}}}),
                      options);
        });
    };
    EXPECT_EQ(refused(1, 1), "");
    for (const double bad : {0.0, -1.0, nan, inf}) {
        EXPECT_NE(refused(bad, 1).find("(2, 2) is"), std::string::npos) << bad;
    }
    EXPECT_NE(refused(1, 1, {.power = 0}).find("power"), std::string::npos);
    EXPECT_NE(refused(1, 1, {.power = 5}).find("power"), std::string::npos);
    EXPECT_NE(refused(1, 1, {.steps = -1}).find("steps"), std::string::npos);
    EXPECT_NE(refused(1, 1, {.steps = 9}).find("steps"), std::string::npos);
    EXPECT_NE(refused(1, 1, {.threshold = -1}).find("threshold"), std::string::npos);
    EXPECT_NE(refused(1, 1, {.drop = 1}).find("dropped"), std::string::npos);
    EXPECT_NE(refusal([&] {
                  make_fsai(backend, csr_from_rows<double>(2, {{{0, 1.0}}}), {});
              }).find("square"),
              std::string::npos);
}

/// Entries that are not finite leave their rows with the diagonal; who solves sees them in A.
TEST(Fsai, EntriesThatAreNotFiniteSpoilTheirRowsAlone) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    OpenMP backend(1);
    for (const double bad : {nan, inf, -inf}) {
        auto a = poisson2d<double>(backend, 8, 8);
        a.values[1] = a.values[3] = bad;  // (1, 2) and (2, 1)
        const auto s = fsai::scaled_system(backend, a).s;
        for (const Size steps : {0, 4}) {
            const auto g = fsai::factor(backend, s, {.steps = steps}, fsai::least_pivot<double>).g;
            for (const double value : g.values) EXPECT_TRUE(std::isfinite(value));
            HostVector<double> x(a.n_rows, 0.0);
            const auto m = make_fsai(backend, a, {.steps = steps});
            EXPECT_NE(cg(backend, a, m, random_vector<double>(a.n_rows, 3), x).reason, StopReason::converged);
        }
    }
}

}  // namespace
}  // namespace stiefel::test
