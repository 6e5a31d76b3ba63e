#include "stiefel/preconditioner/block_jacobi/block_jacobi.hpp"
#include "stiefel/preconditioner/block_jacobi/cuda/inverse.hpp"
#include "stiefel/preconditioner/block_jacobi/inverse.hpp"
#include "stiefel/preconditioner/fsai/cuda/factor.hpp"
#include "stiefel/preconditioner/fsai/factor.hpp"
#include "stiefel/preconditioner/host_diagonal.hpp"
#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/block_cg.hpp"
#include "stiefel/solver/cg.hpp"

#include "support/backends.hpp"
#include "support/block_reference.hpp"
#include "support/cuda.hpp"
#include "support/dense_symbolic.hpp"
#include "support/true_residual.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

// The set-up on a device: what blocks are found by and their inverses against those of the host, and what comes of
// them.

namespace stiefel::test {
namespace {

using block_jacobi::Blocks;
using BlockOptions = block_jacobi::Options;

class CudaBlockJacobi : public OnCuda {
protected:
    struct Found {
        HostCsr<double> m;
        Index jacobi_blocks;
    };
    Found inverse(const HostCsr<double>& a, const Blocks& blocks) {
        const auto there = stiefel::to_device(backend(), a);
        const auto roots = fsai::inverse_roots(backend(), there);
        const auto found = block_jacobi::inverse(backend(), there, roots, blocks, fsai::least_pivot<double>);
        return {stiefel::to_host(backend(), found.m), found.jacobi_blocks};
    }

    Blocks blocks_of(const HostCsr<double>& a, Size size) {
        if (size > 0) return block_jacobi::given_blocks(a.n_rows, static_cast<Index>(size));
        return block_jacobi::found_blocks(block_jacobi::row_links(host_, a), BlockOptions::most_found);
    }

    /// Even couplings, nodes of three unknowns, groups of one to five rows, a full matrix, single rows.
    template <class Check>
    void on_systems(Check&& check) {
        check(poisson2d<double>(host_, 11, 9));
        check(jump_diffusion3d<double>(host_, 5, 5, 5, {.contrast = 1000}));
        check(elasticity3d<double>(host_, 3, 2, 2));
        for (const Index alike : {1, 2, 5}) check(random_spd(20, 3, alike, 0, 5));
        check(random_spd(300, 0, 1, 300, 5));
        check(csr_from_rows<double>(3, {{{0, 2}}, {{1, 3}}, {{2, 5}}}));
        check(csr_from_rows<double>(1, {{{0, 4}}}));
    }

    OpenMP host_{2};
};

TEST_F(CudaBlockJacobi, LinksRowsAsTheHostDoes) {
    on_systems([&](const HostCsr<double>& a) {
        const auto expected = block_jacobi::row_links(host_, a);
        for (const bool wide : {false, true}) {
            const auto there = stiefel::to_device(backend(), wide ? with_wide_offsets(a) : cloned(a));
            const auto links = block_jacobi::row_links(backend(), there);
            ASSERT_EQ(links.size(), expected.size());
            for (Index i = 0; i < a.n_rows; ++i) ASSERT_EQ(links[i], expected[i]) << i << " of " << a.n_rows;
        }
    });
}

TEST_F(CudaBlockJacobi, InvertsEachBlock) {
    on_systems([&](const HostCsr<double>& a) {
        const HostCsr<double> s = fsai::scaled_system(host_, a).s;
        for (const Size size : {0, 1, 3, 8, 9, 16, 17, 32}) {
            SCOPED_TRACE(size);
            const Blocks blocks = blocks_of(a, size);
            const Found found = inverse(a, blocks);
            EXPECT_EQ(found.jacobi_blocks, 0);
            expect_block_inverses(s, blocks, found.m);
        }
    });
}

TEST_F(CudaBlockJacobi, HasTheSameBitsInEveryRun) {
    const auto a = elasticity3d<double>(host_, 12, 11, 10);
    const Blocks blocks = blocks_of(a, 0);
    const HostCsr<double> expected = inverse(a, blocks).m;
    for (int run = 0; run < 3; ++run) expect_same_bits(inverse(a, blocks).m, expected);
}

TEST_F(CudaBlockJacobi, BlocksThatAreNotDefiniteKeepTheDiagonal) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    for (const double bad : {-8.0, std::numeric_limits<double>::quiet_NaN(), inf, -inf}) {
        const auto a = with_bad_coupling(host_, bad);
        const Found found = inverse(a, blocks_of(a, 8));
        EXPECT_EQ(found.jacobi_blocks, 1);
        expect_bad_block_left_out(found.m);
    }
}

template <class T>
class CudaBlockJacobiOf : public CudaBlockJacobi {};
TYPED_TEST_SUITE(CudaBlockJacobiOf, EveryType);

/// The same blocks as on the host, and what these give, in rows that lie in CSR and, in the larger systems, in SELL.
/// Inverses differ from the host's by what both lose, see expect_block_inverses().
TYPED_TEST(CudaBlockJacobiOf, AppliesTheHostsBlocks) {
    using T = TypeParam;
    Cuda& cuda = this->backend();
    const auto check = [&](const HostCsr<T>& a, const BlockOptions& options) {
        const HostVector<double> inverse_roots = inverse_root_diagonal(a, 1);
        const Blocks blocks = options.size > 0 ? block_jacobi::given_blocks(a.n_rows, static_cast<Index>(options.size))
                                               : block_jacobi::found_blocks(block_jacobi::row_links(this->host_, a),
                                                                            BlockOptions::most_found);
        const auto found = block_jacobi::inverse(this->host_, a, inverse_roots, blocks, fsai::least_pivot<T>);
        long double norm = 0;  // of S_b^-1; that of S_b is at most its rows, as its entries are at most 1
        for_rows_of(found.m, [&](Index, const auto&, const std::vector<long double>& values) {
            long double sum = 0;
            for (const long double value : values) sum += std::abs(value);
            norm = std::max(norm, sum);
        });
        const auto there = stiefel::to_device(cuda, a);
        const BlockJacobi<Cuda, T> m(cuda, there, options);
        const HostVector<T> r = random_vector<T>(a.n_rows, 3);
        const auto r_there = this->to_device(r);
        auto z_there = this->to_device(HostVector<T>(r.size(), std::numeric_limits<T>::quiet_NaN()));
        precondition_vector(cuda, m, r_there, z_there);
        const HostVector<T> z = this->to_host(z_there);
        const auto [expected, absolute] = applied_blocks(found.m, inverse_roots, r);
        std::vector<long double> scaled(static_cast<std::size_t>(blocks.number()), 0);  // |D^-1/2 r|_1 of each block
        for (Index b = 0; b < blocks.number(); ++b) {
            for (Index i = blocks.start[b]; i < blocks.start[b + 1]; ++i) {
                scaled[static_cast<std::size_t>(b)] += std::abs(inverse_roots[i] * static_cast<double>(r[i]));
            }
        }
        for (Index b = 0; b < blocks.number(); ++b) {
            const Index k = blocks.rows(b);
            for (Index i = blocks.start[b]; i < blocks.start[b + 1]; ++i) {
                const auto e = static_cast<std::size_t>(i);
                const long double of_inverse =
                    sum_bound<double>(16 * k, k * norm * norm) * inverse_roots[i] * scaled[static_cast<std::size_t>(b)];
                const long double bound = sum_bound<T>(BlockOptions::most_size, absolute[e]) + of_inverse;
                ASSERT_TRUE(within(z[i], expected[e], bound)) << i;
            }
        }
        EXPECT_EQ(m.details().blocks->number, blocks.number());
        EXPECT_EQ(m.details().blocks->largest, blocks.largest());
        EXPECT_EQ(m.details().blocks->jacobi_blocks, 0);
        EXPECT_EQ(m.details().bytes, m.bytes());
        EXPECT_EQ(m.details().setup.size(), 3U);
    };
    for (const Size size : {0, 1, 5, 16, 32}) {
        check(jump_diffusion3d<T>(this->host_, 6, 5, 4, {.contrast = 1e4}), {.size = size});
        check(poisson3d<T>(this->host_, 50, 40, 40), {.size = size});
    }
    check(elasticity3d<T>(this->host_, 12, 12, 12), {});
}

/// As many iterations as on the host, vectors and blocks.
TYPED_TEST(CudaBlockJacobiOf, SolvesAsTheHostDoes) {
    using T = TypeParam;
    Cuda& cuda = this->backend();
    const double rtol = 1e-5;
    const auto check = [&](const HostCsr<T>& a) {
        const auto there = stiefel::to_device(cuda, a);
        const HostVector<T> b = random_vector<T>(a.n_rows, 3);
        HostVector<T> x(a.n_rows, T{0});
        const SolveResult on_host = cg(this->host_, a, BlockJacobi<OpenMP, T>(this->host_, a), b, x, {.rtol = rtol});
        const BlockJacobi<Cuda, T> m(cuda, there);
        const auto right = this->to_device(b);
        auto solution = this->to_device(HostVector<T>(a.n_rows, T{0}));
        const SolveResult result = cg(cuda, there, m, right, solution, {.rtol = rtol});
        EXPECT_EQ(result.reason, StopReason::converged);
        EXPECT_LE(true_relative_residual(a, b, this->to_host(solution)), 1.01 * rtol);
        EXPECT_NEAR(static_cast<double>(result.iterations), static_cast<double>(on_host.iterations), 3);

        constexpr Index k = 5;
        auto columns = make_multivector<T>(cuda, a.n_rows, k), solutions = make_multivector<T>(cuda, a.n_rows, k);
        upload(cuda, random_vector<T>(Size{a.n_rows} * k, 7), columns.values());
        upload(cuda, HostVector<T>(Size{a.n_rows} * k, T{0}), solutions.values());
        EXPECT_LE(block_cg(cuda, there, m, columns, solutions, {.rtol = rtol}).iterations, result.iterations + 3);
    };
    check(jump_diffusion3d<T>(this->host_, 20, 20, 20, {.contrast = 1e3}));
    check(elasticity3d<T>(this->host_, 8, 8, 8));
}

TEST_F(CudaBlockJacobi, KnowsNoRowsAndOne) {
    Cuda& cuda = backend();
    const auto apply = [&](const HostCsr<double>& a, Size size) {
        const auto there = stiefel::to_device(cuda, a);
        const BlockJacobi<Cuda, double> m(cuda, there, {.size = size});
        const auto r = to_device(HostVector<double>(a.n_rows, 2.0));
        auto z = to_device(HostVector<double>(a.n_rows, 0.0));
        precondition_vector(cuda, m, r, z);
        return to_host(z);
    };
    for (const Size size : {0, 4}) {
        EXPECT_EQ(apply(csr_from_rows<double>(0, {}), size).size(), 0);
        EXPECT_EQ(apply(csr_from_rows<double>(1, {{{0, 4.0}}}), size)[0], 0.5);
    }
}

TYPED_TEST(CudaBlockJacobiOf, RefusesByRow) {
    using T = TypeParam;
    const auto refused = [&](T diagonal, Size size = 0) {
        const auto a = csr_from_rows<T>(3, {{{0, 2}, {2, 1}}, {{1, diagonal}}, {{0, 1}, {2, 2}}});
        return refusal(
            [&] { BlockJacobi<Cuda, T>(this->backend(), stiefel::to_device(this->backend(), a), {.size = size}); });
    };
    EXPECT_EQ(refused(1), "");
    for (const T bad : {T{0}, T{-1}, std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()}) {
        EXPECT_NE(refused(bad).find("(2, 2) is"), std::string::npos) << bad;
    }
    EXPECT_NE(refused(1, 33).find("1 to 32 rows"), std::string::npos);
}

}  // namespace
}  // namespace stiefel::test
