#include "stiefel/preconditioner/block_jacobi/block_jacobi.hpp"
#include "stiefel/preconditioner/block_jacobi/inverse.hpp"
#include "stiefel/preconditioner/fsai/factor.hpp"
#include "stiefel/preconditioner/host_diagonal.hpp"
#include "stiefel/preconditioner/jacobi.hpp"
#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/block_cg.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/scaled_csr.hpp"

#include "support/backends.hpp"
#include "support/block_reference.hpp"
#include "support/dense_symbolic.hpp"
#include "support/same_bits.hpp"
#include "support/true_residual.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace stiefel::test {
namespace {

using block_jacobi::Blocks;
using BlockOptions = block_jacobi::Options;

Blocks blocks_of(const HostCsr<double>& a, const BlockOptions& options) {
    OpenMP backend(2);
    if (options.size > 0) return block_jacobi::given_blocks(a.n_rows, static_cast<Index>(options.size));
    return block_jacobi::found_blocks(block_jacobi::row_links(backend, a), BlockOptions::most_found);
}

/// Even couplings, nodes of three unknowns, groups of one to five rows, a full matrix, single rows.
template <class Check>
void on_systems(Check&& check) {
    OpenMP maker(2);
    check(poisson2d<double>(maker, 11, 9));
    check(jump_diffusion3d<double>(maker, 5, 5, 5, {.contrast = 1000}));
    check(elasticity3d<double>(maker, 3, 2, 2));
    for (const Index alike : {1, 2, 5}) check(random_spd(20, 3, alike, 0, 5));
    check(random_spd(70, 0, 1, 70, 5));
    check(csr_from_rows<double>(3, {{{0, 2}}, {{1, 3}}, {{2, 5}}}));
    check(csr_from_rows<double>(1, {{{0, 4}}}));
}

/// A matrix of ones with these columns in its rows.
HostCsr<double> pattern(const std::vector<std::vector<Index>>& columns) {
    std::vector<std::vector<std::pair<Index, double>>> rows;
    for (const auto& row : columns) {
        auto& entries = rows.emplace_back();
        for (const Index j : row) entries.emplace_back(j, 1.0);
    }
    return csr_from_rows<double>(static_cast<Index>(columns.size()), rows);
}

std::vector<Index> starts(const Blocks& blocks) {
    return {blocks.start.begin(), blocks.start.end()};
}

std::vector<Index> found_starts(const HostCsr<double>& a, Index most) {
    OpenMP backend(2);
    return starts(block_jacobi::found_blocks(block_jacobi::row_links(backend, a), most));
}

using Starts = std::vector<Index>;

/// A chain of four nodes with three unknowns each.
TEST(BlockFinder, KeepsTheUnknownsOfANodeTogether) {
    std::vector<std::vector<Index>> columns;
    for (Index i = 0; i < 12; ++i) {
        auto& row = columns.emplace_back();
        for (Index j = 0; j < 12; ++j) {
            if (std::abs(i / 3 - j / 3) <= 1) row.push_back(j);
        }
    }
    const auto a = pattern(columns);
    EXPECT_EQ(found_starts(a, 3), (Starts{0, 3, 6, 9, 12}));
    EXPECT_EQ(found_starts(a, 5), (Starts{0, 3, 6, 9, 12}));
    EXPECT_EQ(found_starts(a, 6), (Starts{0, 6, 12}));
    EXPECT_EQ(found_starts(a, 8), (Starts{0, 6, 12}));
    EXPECT_EQ(found_starts(a, 32), (Starts{0, 12}));
    EXPECT_EQ(found_starts(a, 2), (Starts{0, 2, 3, 5, 6, 8, 9, 11, 12})) << "no node fits";
    EXPECT_EQ(found_starts(a, 1), (Starts{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
}

TEST(BlockFinder, TakesNeighboursThatAreCoupled) {
    OpenMP maker(1);
    EXPECT_EQ(found_starts(poisson1d<double>(maker, 10), 4), (Starts{0, 4, 8, 10}));
    EXPECT_EQ(found_starts(poisson2d<double>(maker, 3, 3), 8), (Starts{0, 8, 9})) << "rows 3 and 6 by those above";
    EXPECT_EQ(found_starts(poisson2d<double>(maker, 5, 2), 4), (Starts{0, 4, 5, 9, 10})) << "row 5 not by row 4";
    EXPECT_EQ(found_starts(pattern({{0}, {1}, {2}}), 4), (Starts{0, 1, 2, 3}));
    EXPECT_EQ(found_starts(pattern({{0, 1}, {0, 1}, {2, 3}, {2, 3}}), 4), (Starts{0, 2, 4}))
        << "the ends of two blocks";
    EXPECT_EQ(found_starts(pattern({{0, 2}, {1}, {0, 2}}), 4), (Starts{0, 1, 2, 3})) << "coupled beyond a block";
}

TEST(BlockFinder, KnowsLongRowsAndFewRows) {
    std::vector<std::vector<Index>> arrow{{}};
    for (Index i = 1; i < 9; ++i) {
        arrow[0].push_back(i - 1);
        arrow.push_back({0, i});
    }
    arrow[0].push_back(8);
    EXPECT_EQ(found_starts(pattern(arrow), 4), (Starts{0, 4, 5, 6, 7, 8, 9}));
    EXPECT_EQ(found_starts(pattern({{0}}), 4), (Starts{0, 1}));
    EXPECT_EQ(found_starts(pattern({}), 4), (Starts{0}));
    const std::vector<Index> all{0, 1, 2, 3, 4, 5, 6};
    EXPECT_EQ(found_starts(pattern(std::vector(7, all)), 3), (Starts{0, 3, 6, 7})) << "a full matrix";
}

TEST(BlockFinder, LinksAreOfTheRowBefore) {
    OpenMP backend(2);
    const auto links = block_jacobi::row_links(backend, pattern({{0, 1, 3}, {0, 1, 3}, {2}, {0, 1, 3}, {}, {}}));
    EXPECT_EQ(std::vector<Index>(links.begin(), links.end()), (Starts{-1, 1, -1, 1, -1, 5}));
}

TEST(BlockFinder, GivenBlocksAreEven) {
    EXPECT_EQ(starts(block_jacobi::given_blocks(7, 3)), (Starts{0, 3, 6, 7}));
    EXPECT_EQ(starts(block_jacobi::given_blocks(6, 3)), (Starts{0, 3, 6}));
    EXPECT_EQ(starts(block_jacobi::given_blocks(2, 32)), (Starts{0, 2}));
    EXPECT_EQ(starts(block_jacobi::given_blocks(0, 4)), (Starts{0}));
    const Blocks blocks = block_jacobi::given_blocks(7, 3);
    EXPECT_EQ(blocks.number(), 3);
    EXPECT_EQ(blocks.largest(), 3);
    EXPECT_EQ(blocks.entries(), 9 + 9 + 1);
}

TEST(BlockInverse, IsThatOfEachBlock) {
    on_systems([](const HostCsr<double>& a) {
        OpenMP backend(2);
        const auto scaled = fsai::scaled_system(backend, a);
        for (const Size size : {0, 1, 3, 7, 32}) {
            const Blocks blocks = blocks_of(a, {.size = size});
            const auto found =
                block_jacobi::inverse(backend, a, scaled.inverse_roots, blocks, fsai::least_pivot<double>);
            EXPECT_EQ(found.jacobi_blocks, 0);
            expect_block_inverses(scaled.s, blocks, found.m);
        }
    });
}

TEST(BlockInverse, HasTheSameBitsOnAnyNumberOfThreads) {
    OpenMP maker(1);
    const auto a = elasticity3d<double>(maker, 12, 11, 10);
    const HostVector<double> inverse_roots = inverse_root_diagonal(a, 1);
    const auto made = [&](int threads) {
        OpenMP backend(threads);
        const Blocks blocks = block_jacobi::found_blocks(block_jacobi::row_links(backend, a), BlockOptions::most_found);
        return block_jacobi::inverse(backend, a, inverse_roots, blocks, fsai::least_pivot<double>).m;
    };
    const HostCsr<double> expected = made(1);
    for (const int threads : {2, 3, 4}) expect_same_bits(made(threads), expected);
}

TEST(BlockJacobi, GivesTheSameBitsOnAnyNumberOfThreads) {
    expect_same_bits_on_threads(
        [](OpenMP& backend, const HostCsr<double>& a) { return BlockJacobi<OpenMP, double>(backend, a); });
}

template <class B, class T>
HostVector<T> applied(B& backend, const BlockJacobi<B, T>& m, const HostVector<T>& r) {
    HostVector<T> z(r.size(), std::numeric_limits<T>::quiet_NaN());
    precondition_vector(backend, m, r, z);
    return z;
}

template <class Case>
class BlockJacobiOn : public ::testing::Test {
protected:
    typename Case::backend backend;
    OpenMP maker{1};
};
TYPED_TEST_SUITE(BlockJacobiOn, EveryBackendAndType);

/// D^-1/2 M D^-1/2, as M is found.
TYPED_TEST(BlockJacobiOn, AppliesItsBlocks) {
    using B = typename TypeParam::backend;
    using T = typename TypeParam::type;
    const auto check = [&](const HostCsr<T>& a, const BlockOptions& options) {
        const HostVector<double> inverse_roots = inverse_root_diagonal(a, 1);
        const Blocks blocks = options.size > 0 ? block_jacobi::given_blocks(a.n_rows, static_cast<Index>(options.size))
                                               : block_jacobi::found_blocks(block_jacobi::row_links(this->maker, a),
                                                                            BlockOptions::most_found);
        const auto found = block_jacobi::inverse(this->maker, a, inverse_roots, blocks, fsai::least_pivot<T>);
        const BlockJacobi<B, T> m(this->backend, a, options);
        const HostVector<T> r = random_vector<T>(a.n_rows, 3), z = applied(this->backend, m, r);
        const auto [expected, absolute] = applied_blocks(found.m, inverse_roots, r);
        for (Index i = 0; i < a.n_rows; ++i) {
            const auto e = static_cast<std::size_t>(i);
            ASSERT_TRUE(within(z[i], expected[e], sum_bound<T>(BlockOptions::most_size, absolute[e]))) << i;
        }
        const auto about = *m.details().blocks;
        EXPECT_EQ(about.are_found, options.size == 0);
        EXPECT_EQ(about.number, blocks.number());
        EXPECT_EQ(about.largest, blocks.largest());
        EXPECT_EQ(about.rows, a.n_rows);
        EXPECT_EQ(about.jacobi_blocks, 0);
        EXPECT_EQ(m.details().bytes, m.bytes());
        EXPECT_EQ(m.details().setup.size(), 3U);
        EXPECT_EQ(m.work(3).flops, 3 * m.work(1).flops);
    };
    for (const Size size : {0, 1, 5, 32}) {
        check(jump_diffusion3d<T>(this->maker, 6, 5, 4, {.contrast = 1e4}), {.size = size});
        check(elasticity3d<T>(this->maker, 8, 7, 6), {.size = size});
    }
}

/// Blocks of one row are Jacobi's: two roots, their product and one with r apart.
TYPED_TEST(BlockJacobiOn, OfSingleRowsIsJacobi) {
    using B = typename TypeParam::backend;
    using T = typename TypeParam::type;
    const auto a = jump_diffusion3d<T>(this->maker, 6, 5, 4, {.contrast = 1e4});
    const auto jacobi = make_jacobi(this->backend, a);
    const HostVector<T> r = random_vector<T>(a.n_rows, 3);
    const HostVector<T> z = applied(this->backend, BlockJacobi<B, T>(this->backend, a, {.size = 1}), r);
    for (Index i = 0; i < a.n_rows; ++i) {
        const T expected = jacobi.inverse_diagonal[i] * r[i];
        ASSERT_LE(std::abs(z[i] - expected), 8 * std::numeric_limits<T>::epsilon() * std::abs(expected)) << i;
    }
}

/// M is the inverse of a matrix of blocks.
TYPED_TEST(BlockJacobiOn, OfAMatrixOfBlocksIsItsInverse) {
    using B = typename TypeParam::backend;
    using T = typename TypeParam::type;
    const auto in_double = random_spd(40, 0, 5, 0, 5);
    const HostVector<double> ones(in_double.n_rows, 1.0);
    const auto a = scaled_copy<T>(this->maker, ScaledCsr<double>{in_double, ones, ones});
    const HostVector<T> b = random_vector<T>(a.n_rows, 3);
    for (const Size size : {0, 5, 10}) {
        HostVector<T> x(a.n_rows, T{0});
        const double rtol = 20 * static_cast<double>(std::numeric_limits<T>::epsilon());
        const BlockJacobi<B, T> m(this->backend, a, {.size = size});
        const SolveResult result = cg(this->backend, a, m, b, x, {.rtol = rtol});
        EXPECT_EQ(result.reason, StopReason::converged);
        EXPECT_LE(result.iterations, 2);
    }
}

TYPED_TEST(BlockJacobiOn, TakesFewerIterationsThanJacobi) {
    using B = typename TypeParam::backend;
    using T = typename TypeParam::type;
    const auto check = [&](const HostCsr<T>& a) {
        const HostVector<T> b = random_vector<T>(a.n_rows, 3);
        const auto run = [&](const auto& m) {
            HostVector<T> x(a.n_rows, T{0});
            const SolveResult result = cg(this->backend, a, m, b, x, {.rtol = 1e-5});
            EXPECT_EQ(result.reason, StopReason::converged);
            EXPECT_LE(true_relative_residual(a, b, x), 1.01e-5);
            return result.iterations;
        };
        const BlockJacobi<B, T> m(this->backend, a);
        const Size jacobi = run(make_jacobi(this->backend, a));
        EXPECT_LT(run(m), 95 * jacobi / 100);

        constexpr Index k = 4;
        auto columns = make_multivector<T>(this->backend, a.n_rows, k),
             x = make_multivector<T>(this->backend, a.n_rows, k);
        upload(this->backend, random_vector<T>(Size{a.n_rows} * k, 7), columns.values());
        upload(this->backend, HostVector<T>(Size{a.n_rows} * k, T{0}), x.values());
        EXPECT_LT(block_cg(this->backend, a, m, columns, x, {.rtol = 1e-5}).iterations, 95 * jacobi / 100);
    };
    check(elasticity3d<T>(this->maker, 8, 8, 8));
    check(poisson2d<T>(this->maker, 60, 60));
}

/// Scaled by powers of two, A has the same M to the last bit, however wide its diagonal.
TEST(BlockJacobi, DoesNotDependOnTheScalingOfA) {
    OpenMP backend(1);
    auto a = jump_diffusion3d<double>(backend, 6, 6, 6, {.contrast = 100});
    const BlockJacobi<OpenMP, double> m(backend, a);
    const auto factor = [](Index i) { return std::ldexp(1.0, i * 37 % 401 - 200); };
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            for (Size e = row_ptr[i]; e < row_ptr[i + 1]; ++e) a.values[e] *= factor(i) * factor(a.col_idx[e]);
        }
    });
    const BlockJacobi<OpenMP, double> of_scaled(backend, a);
    HostVector<double> r = random_vector<double>(a.n_rows, 3), z(r.size()), of_scaled_z(r.size());
    precondition_vector(backend, m, r, z);
    for (Index i = 0; i < a.n_rows; ++i) r[i] *= factor(i);
    precondition_vector(backend, of_scaled, r, of_scaled_z);
    for (Index i = 0; i < a.n_rows; ++i) ASSERT_EQ(of_scaled_z[i] * factor(i), z[i]) << i;
}

TEST(BlockJacobi, KnowsNoRows) {
    OpenMP backend(2);
    const auto none = csr_from_rows<double>(0, {});
    for (const Size size : {0, 4}) {
        const BlockJacobi<OpenMP, double> m(backend, none, {.size = size});
        HostVector<double> nothing(0), z(0);
        precondition_vector(backend, m, nothing, z);
        EXPECT_EQ(m.details().blocks->number, 0);
        EXPECT_EQ(m.details().blocks->mean(), 0);
    }
}

/// Rows of a block that is not definite are Jacobi's, and the other blocks right; CG finds out about A.
TEST(BlockJacobi, BlocksThatAreNotDefiniteKeepTheDiagonal) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    OpenMP backend(1);
    for (const double bad : {-8.0, nan, inf, -inf}) {
        const auto a = with_bad_coupling(backend, bad);
        const Blocks blocks = block_jacobi::given_blocks(a.n_rows, 8);
        const HostVector<double> inverse_roots = inverse_root_diagonal(a, 1);
        const auto found = block_jacobi::inverse(backend, a, inverse_roots, blocks, fsai::least_pivot<double>);
        EXPECT_EQ(found.jacobi_blocks, 1);
        expect_bad_block_left_out(found.m);
        const BlockJacobi<OpenMP, double> m(backend, a, {.size = 8});
        EXPECT_EQ(m.details().blocks->jacobi_blocks, 1);
        HostVector<double> x(a.n_rows, 0.0);
        EXPECT_NE(cg(backend, a, m, random_vector<double>(a.n_rows, 3), x).reason, StopReason::converged);
    }
}

TEST(BlockJacobi, RefusesByRow) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    Serial backend;
    const auto refused = [&](double diagonal, Size size = 0) {
        return refusal([&] {
            BlockJacobi<Serial, double>(
                backend, csr_from_rows<double>(3, {{{0, 2.0}, {2, 1.0}}, {{1, diagonal}}, {{0, 1.0}, {2, 2.0}}}),
                {.size = size});
        });
    };
    EXPECT_EQ(refused(1), "");
    EXPECT_EQ(refused(1, 32), "");
    for (const double bad : {0.0, -1.0, nan, inf}) {
        EXPECT_NE(refused(bad).find("(2, 2) is"), std::string::npos) << bad;
    }
    for (const Size bad : {-1, 33}) EXPECT_NE(refused(1, bad).find("1 to 32 rows"), std::string::npos) << bad;
    EXPECT_NE(refusal([&] {
                  BlockJacobi<Serial, double>(backend, csr_from_rows<double>(2, {{{0, 1.0}}}));
              }).find("square"),
              std::string::npos);
}

}  // namespace
}  // namespace stiefel::test
