#include "stiefel/preconditioner/fsai/couplings.hpp"
#include "stiefel/preconditioner/fsai/cuda/factor.hpp"
#include "stiefel/preconditioner/fsai/factor.hpp"
#include "stiefel/preconditioner/fsai/fsai.hpp"
#include "stiefel/preconditioner/fsai/grown_patterns.hpp"
#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/block_cg.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

#include "support/backends.hpp"
#include "support/bounds.hpp"
#include "support/csr_checks.hpp"
#include "support/cuda.hpp"
#include "support/dense_symbolic.hpp"
#include "support/fsai_reference.hpp"
#include "support/true_residual.hpp"

#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

// The set-up on a device: its steps against the host's, rows of G against dense solutions in extended precision, and
// what comes of them.

namespace stiefel::test {
namespace {

using FsaiOptions = fsai::Options;

class CudaFsai : public OnCuda {
protected:
    struct Found {
        HostCsr<double> g;
        Index jacobi_rows;
    };
    Found factor(const HostCsr<double>& a, const FsaiOptions& options) {
        const auto there = stiefel::to_device(backend(), a);
        const fsai::DeviceFactor found = fsai::factor(backend(), there, options, least_pivot);
        HostCsr<double> g = stiefel::to_host(backend(), found.lower);
        expect_same_bits(stiefel::to_host(backend(), found.upper), transpose(host_, g));
        const HostVector<double> inverse_roots = fsai::scaled_system(host_, a).inverse_roots;
        for (Size e = 0; e < g.nnz(); ++e) g.values[e] /= inverse_roots[g.col_idx[e]];
        return {std::move(g), found.jacobi_rows};
    }

    HostCsr<double> patterns(const HostCsr<double>& a, const FsaiOptions& options) {
        const auto there = stiefel::to_device(backend(), a);
        return stiefel::to_host(backend(), fsai::row_patterns(backend(), there, options, least_pivot));
    }

    void expect_patterns_of_host(const HostCsr<double>& a, const FsaiOptions& options) {
        const HostCsr<double> s = fsai::scaled_system(host_, a).s;
        const HostCsr<double> couplings = fsai::strong_couplings(host_, s, options.threshold);
        const HostCsr<double> found = patterns(a, options);
        const auto expect = [&](auto expected) {
            for_rows_of(found, [&](Index i, const std::vector<Index>& cols, const auto&) {
                std::vector<Index> own;
                expected.append(i, own);
                ASSERT_EQ(cols, own) << i << " of power " << options.power << ", in " << options.steps << " steps";
            });
        };
        if (options.steps > 0) {
            expect(fsai::GrownPatterns(s, couplings, options.steps, least_pivot));
        } else {
            expect(fsai::RowPatterns(couplings, options.power));
        }
    }

    /// Even couplings, uneven ones, rows of every length up to the limit. None is longer: of those some columns would
    /// be chosen by sums that differ in their last bits.
    template <class Check>
    void on_systems(Check&& check) {
        static_assert(FsaiOptions::longest_row == 48);
        check(poisson2d<double>(host_, 11, 9));
        check(jump_diffusion3d<double>(host_, 4, 4, 3, {.contrast = 1000}));
        check(elasticity3d<double>(host_, 2, 1, 1));
        check(random_spd(16, 16, 3, 16, 5));
    }

    static constexpr double least_pivot = fsai::least_pivot<double>;
    OpenMP host_{2};
};

TEST_F(CudaFsai, HasTheHostsPatterns) {
    on_systems([&](const HostCsr<double>& a) {
        for (const double threshold : {0.0, 0.1}) {
            for (Size power = 1; power <= FsaiOptions::most_power; ++power) {
                expect_patterns_of_host(a, {.power = power, .threshold = threshold});
            }
        }
    });
}

/// Rows of A, and of its square, that are too long; among them couplings of the same size.
TEST_F(CudaFsai, KeepsTheSameOfLongRows) {
    const auto all = random_spd(300, 300, 1, 300, 7);
    for (const Size power : {1, 2}) expect_patterns_of_host(all, {.power = power, .threshold = 0});
    constexpr Index n = 3000;
    std::vector<std::vector<std::pair<Index, double>>> rows(n);
    for (Index i = 0; i + 1 < n; ++i) {
        const double value = -1.0 / n / (1 + i % 50);
        rows[static_cast<std::size_t>(i)] = {{i, 2.0}, {n - 1, value}};
        rows[n - 1].emplace_back(i, value);
    }
    rows[n - 1].emplace_back(n - 1, 2.0);
    const auto arrow = csr_from_rows<double>(n, rows);
    expect_patterns_of_host(arrow, {.power = 1, .threshold = 0});
    for (const Size power : {2, 4}) {
        const Found found = factor(arrow, {.power = power, .threshold = 0, .drop = 0});
        EXPECT_EQ(found.jacobi_rows, 0);
        for_rows_of(found.g, [&](Index i, const std::vector<Index>& cols, const auto&) {
            ASSERT_LE(cols.size(), static_cast<std::size_t>(FsaiOptions::longest_row));
            ASSERT_EQ(cols.back(), i);
        });
    }
}

/// Rows of every length up to the limit, rows of S that are searched for their columns, and so many columns around
/// that they are left to the kernel with room for all. No two columns are worth the same.
TEST_F(CudaFsai, GrowsTheHostsPatterns) {
    const auto check = [&](const HostCsr<double>& a, std::initializer_list<Size> all_steps) {
        for (const double threshold : {0.0, 0.02}) {
            for (const Size steps : all_steps) expect_patterns_of_host(a, {.threshold = threshold, .steps = steps});
        }
    };
    check(uneven_grid<double>(host_), {1, 3, FsaiOptions::most_steps});
    const auto strengthened = [](HostCsr<double> a, double factor) {  // still definite: Wigner's semicircle
        a.row_ptr.visit([&](const auto* row_ptr) {
            for (Index i = 0; i < a.n_rows; ++i) {
                for (Size e = row_ptr[i]; e < row_ptr[i + 1]; ++e) a.values[e] *= a.col_idx[e] == i ? 1 : factor;
            }
        });
        return a;
    };
    check(strengthened(random_spd(1500, 40, 1, 0, 11), 2.5), {4, FsaiOptions::most_steps});
    check(strengthened(random_spd(900, 500, 1, 0, 13), 5), {5});
}

TEST_F(CudaFsai, HasTheRowsOfItsLocalSystems) {
    on_systems([&](const HostCsr<double>& a) {
        const HostCsr<double> s = fsai::scaled_system(host_, a).s;
        for (const Size power : {1, 2, 3}) {
            const Found found = factor(a, {.power = power, .threshold = 0.01, .drop = 0});
            EXPECT_EQ(found.jacobi_rows, 0);
            expect_local_solutions(s, found.g);
        }
        for (const Size steps : {Size{1}, Size{4}, FsaiOptions::most_steps}) {
            const Found found = factor(a, {.threshold = 0, .steps = steps, .drop = 0});
            EXPECT_EQ(found.jacobi_rows, 0);
            expect_local_solutions(s, found.g);
        }
    });
}

/// So many rows that those with few columns are computed by fewer lanes: in a row of one grid 3, 7 and 13, of the other
/// 4, 13 and 32, of the body 48.
TEST_F(CudaFsai, HasTheRowsOfLargerSystems) {
    const auto check = [&](const HostCsr<double>& a, Size power) {
        const Found found = factor(a, {.power = power, .threshold = 0.01, .drop = 0});
        EXPECT_EQ(found.jacobi_rows, 0);
        expect_local_solutions(fsai::scaled_system(host_, a).s, found.g);
        const HostCsr<double> pattern = patterns(a, {.power = power, .threshold = 0.01});
        EXPECT_LE(found.g.nnz(), pattern.nnz());
        EXPECT_GE(found.g.nnz(), pattern.nnz() * 9 / 10);  // but for zeros
    };
    const auto plane = poisson2d<double>(host_, 140, 120);
    const auto grid = poisson3d<double>(host_, 26, 26, 26);
    for (const Size power : {1, 2, 3}) {
        check(plane, power);
        check(grid, power);
    }
    check(elasticity3d<double>(host_, 12, 11, 10), 2);
}

TEST_F(CudaFsai, DropsAndScales) {
    on_systems([&](const HostCsr<double>& a) {
        const HostCsr<double> s = fsai::scaled_system(host_, a).s;
        const auto made = [&](double drop) { return factor(a, {.power = 2, .threshold = 0, .drop = drop}).g; };
        const HostCsr<double> full = made(0), some = made(0.1);
        expect_unit_energy(s, full);
        expect_unit_energy(s, some);
        expect_dropped(full, some, 0.1);
    });
}

TEST_F(CudaFsai, HasTheSameBitsInEveryRun) {
    const auto a = jump_diffusion3d<double>(host_, 20, 20, 20, {.contrast = 100});
    for (const Size steps : {0, 4}) {
        const FsaiOptions options{.power = 2, .threshold = 0.01, .steps = steps, .drop = 0.01};
        const HostCsr<double> expected = factor(a, options).g;
        for (int run = 0; run < 3; ++run) expect_same_bits(factor(a, options).g, expected);
    }
}

TEST_F(CudaFsai, RowsOfIndefiniteSystemsKeepTheDiagonal) {
    const Index row = 435;
    const HostCsr<double> a = indefinite_grid(host_, row);
    const Found found = factor(a, {.power = 1, .threshold = 0, .drop = 0});
    EXPECT_EQ(found.jacobi_rows, 1);
    for_rows_of(found.g, [&](Index i, const std::vector<Index>& cols, const std::vector<long double>& values) {
        if (i != row) return;
        EXPECT_EQ(cols.size(), 1U);
        EXPECT_EQ(values.back(), 1);
    });
    const HostCsr<double> s = fsai::scaled_system(host_, a).s;
    expect_unit_energy(s, found.g);

    // A row that grows leaves the column out.
    const Found grown = factor(a, {.threshold = 0, .steps = 3, .drop = 0});
    EXPECT_EQ(grown.jacobi_rows, 0);
    expect_unit_energy(s, grown.g);
    expect_grown_without(grown.g, row, row - 1);
}

template <class T>
class CudaFsaiOf : public CudaFsai {};
TYPED_TEST_SUITE(CudaFsaiOf, EveryType);

/// D^-1/2 G' G D^-1/2 r, in rows that lie in CSR and, where the cache does not hold all, in SELL.
TYPED_TEST(CudaFsaiOf, AppliesItsFactorTwice) {
    using T = TypeParam;
    Cuda& cuda = this->backend();
    const auto check = [&](const HostCsr<T>& a, Size steps = 0) {
        const FsaiOptions options{.power = 2, .threshold = 0.01, .steps = steps, .drop = 0.01};
        const auto scaled = fsai::scaled_system(this->host_, a);
        const auto g = fsai::factor(this->host_, scaled.s, options, fsai::least_pivot<T>).g;
        const auto there = stiefel::to_device(cuda, a);
        const Fsai<Cuda, T> m(cuda, there, options);
        EXPECT_EQ(m.details().sparse_inverse->nonzeros, g.nnz());
        const HostVector<T> r = random_vector<T>(a.n_rows, 3);
        const auto r_there = this->to_device(r);
        auto z_there = this->to_device(HostVector<T>(r.size(), std::numeric_limits<T>::quiet_NaN()));
        precondition_vector(cuda, m, r_there, z_there);
        const HostVector<T> z = this->to_host(z_there);
        const auto [expected, absolute] = applied_reference(g, scaled.inverse_roots, r);
        for (Index i = 0; i < a.n_rows; ++i) {
            const auto e = static_cast<std::size_t>(i);
            ASSERT_TRUE(within(z[i], expected[e], sum_bound<T>(60, absolute[e]))) << i;
        }
    };
    check(jump_diffusion3d<T>(this->host_, 6, 5, 4, {.contrast = 1e4}));
    check(uneven_grid<T>(this->host_), 4);
    check(poisson3d<T>(this->host_, 50, 40, 40));
    check(poisson3d<T>(this->host_, 75, 60, 50));
    check(jump_diffusion3d<T>(this->host_, 75, 60, 50, {.contrast = 1e4}));
}

/// As many iterations as on the host, vectors and blocks.
TYPED_TEST(CudaFsaiOf, SolvesAsTheHostDoes) {
    using T = TypeParam;
    Cuda& cuda = this->backend();
    const auto a = jump_diffusion3d<T>(this->host_, 20, 20, 20, {.contrast = 1e3});
    const auto there = stiefel::to_device(cuda, a);
    const double rtol = 1e-5;
    const HostVector<T> b = random_vector<T>(a.n_rows, 3);
    HostVector<T> x(a.n_rows, T{0});
    const SolveResult on_host = cg(this->host_, a, Fsai<OpenMP, T>(this->host_, a), b, x, {.rtol = rtol});
    const auto right = this->to_device(b);
    auto solution = this->to_device(HostVector<T>(a.n_rows, T{0}));
    const SolveResult result = cg(cuda, there, Fsai<Cuda, T>(cuda, there), right, solution, {.rtol = rtol});
    EXPECT_EQ(result.reason, StopReason::converged);
    EXPECT_NEAR(static_cast<double>(result.iterations), static_cast<double>(on_host.iterations), 3);

    constexpr Index k = 5;
    auto columns = make_multivector<T>(cuda, a.n_rows, k), solutions = make_multivector<T>(cuda, a.n_rows, k);
    upload(cuda, random_vector<T>(Size{a.n_rows} * k, 7), columns.values());
    upload(cuda, HostVector<T>(Size{a.n_rows} * k, T{0}), solutions.values());
    const auto of_block = block_cg(cuda, there, Fsai<Cuda, T>(cuda, there, {}, k), columns, solutions, {.rtol = rtol});
    EXPECT_LE(of_block.iterations, result.iterations + 3);
}

TEST_F(CudaFsai, KnowsNoRowsAndOne) {
    Cuda& cuda = backend();
    const auto apply = [&](const HostCsr<double>& a, const FsaiOptions& options = {}) {
        const auto there = stiefel::to_device(cuda, a);
        const Fsai<Cuda, double> m(cuda, there, options);
        const auto r = to_device(HostVector<double>(a.n_rows, 2.0));
        auto z = to_device(HostVector<double>(a.n_rows, 0.0));
        precondition_vector(cuda, m, r, z);
        return to_host(z);
    };
    EXPECT_EQ(apply(csr_from_rows<double>(0, {})).size(), 0);
    EXPECT_EQ(apply(csr_from_rows<double>(0, {}), {.steps = 2}).size(), 0);
    EXPECT_EQ(apply(csr_from_rows<double>(1, {{{0, 4.0}}}))[0], 0.5);
    EXPECT_EQ(apply(csr_from_rows<double>(1, {{{0, 4.0}}}), {.steps = 2})[0], 0.5);
}

TEST_F(CudaFsai, RefusesByRow) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    const auto refused = [&](double diagonal, const FsaiOptions& options = {}) {
        const auto a = csr_from_rows<double>(3, {{{0, 2.0}, {2, 1.0}}, {{1, diagonal}}, {{0, 1.0}, {2, 2.0}}});
        return refusal([&] { Fsai<Cuda, double>(backend(), stiefel::to_device(backend(), a), options); });
    };
    EXPECT_EQ(refused(1), "");
    for (const double bad : {0.0, -1.0, nan, inf}) {
        EXPECT_NE(refused(bad).find("(2, 2) is"), std::string::npos) << bad;
    }
    EXPECT_NE(refused(1, {.power = 5}).find("power"), std::string::npos);
}

}  // namespace
}  // namespace stiefel::test
