#include "stiefel/preconditioner/ssor/ssor.hpp"
#include "stiefel/preconditioner/jacobi.hpp"
#include "stiefel/preconditioner/ssor/colouring.hpp"
#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/block_cg.hpp"
#include "stiefel/solver/cg.hpp"

#include "support/backends.hpp"
#include "support/bounds.hpp"
#include "support/csr_checks.hpp"
#include "support/dense_symbolic.hpp"
#include "support/same_bits.hpp"
#include "support/ssor_reference.hpp"
#include "support/triangular_factors.hpp"
#include "support/true_residual.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace stiefel::test {
namespace {

using ssor::Colouring;

template <class Case>
class SsorOf : public ::testing::Test {
protected:
    typename Case::backend backend_;
};
TYPED_TEST_SUITE(SsorOf, EveryBackendAndType);

/// Two substitutions with a triangle whose entries were rounded some times (Higham 2002, theorem 8.5).
TYPED_TEST(SsorOf, HasTheInverseOfItsProduct) {
    using B = typename TypeParam::backend;
    using T = typename TypeParam::type;
    OpenMP maker(1);
    const auto check = [&](const HostCsr<T>& a) {
        const Colouring colouring = ssor::greedy_colouring(a);
        const Index n = a.n_rows;
        for (const double omega : {1.0, 0.4, 1.7}) {
            const Ssor<B, T> m(this->backend_, a, {.omega = omega});
            const HostVector<T> r = random_vector<T>(n, 3);
            HostVector<T> z(n, std::numeric_limits<T>::quiet_NaN());
            precondition(this->backend_, m, {r.data(), n, 1, 1}, {z.data(), n, 1, 1});
            const DenseRelaxation expected(dense(a), colouring, static_cast<long double>(omega), {z.begin(), z.end()});
            for (Index i = 0; i < n; ++i) {
                const long double bound = 4 * sum_bound<T>(n, expected.absolute[at(i)]);
                ASSERT_TRUE(within(expected.product[at(i)], r[i], bound)) << "row " << i << ", omega " << omega;
            }
        }
    };
    check(poisson2d<T>(maker, 9, 8));
    check(jump_diffusion3d<T>(maker, 4, 5, 4, {.contrast = 100}));
    check(elasticity3d<T>(maker, 2, 2, 1));
    check(csr_from_rows<T>(3, {{{0, 2}}, {{1, 3}}, {{2, 5}}}));
}

/// No two rows that are coupled have the same colour, and every colour before a row's is a neighbour's.
TEST(Colouring, KeepsCoupledRowsApart) {
    OpenMP maker(1);
    const auto check = [](const HostCsr<double>& a, Index expected) {
        const Colouring colouring = ssor::greedy_colouring(a);
        EXPECT_EQ(colouring.n_colours, expected);
        ASSERT_EQ(colouring.colour.size(), a.n_rows);
        a.row_ptr.visit([&](const auto* row_ptr) {
            for (Index i = 0; i < a.n_rows; ++i) {
                std::vector<bool> is_met(at(expected), false);
                for (Size e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
                    const Index other = colouring.colour[a.col_idx[e]];
                    ASSERT_TRUE(other >= 0 && other < expected);
                    if (a.col_idx[e] == i) continue;
                    ASSERT_NE(other, colouring.colour[i]) << i;
                    is_met[at(other)] = true;
                }
                for (Index c = 0; c < colouring.colour[i]; ++c) ASSERT_TRUE(is_met[at(c)]) << i;
            }
        });
    };
    check(poisson1d<double>(maker, 50), 2);
    check(poisson2d<double>(maker, 9, 7), 2);
    check(poisson3d<double>(maker, 5, 6, 7), 2);
    check(csr_from_rows<double>(2, {{{0, 1.0}}, {{1, 1.0}}}), 1);
    check(random_spd(30, 0, 1, 30, 5), 30);
    check(HostCsr<double>{.row_ptr = RowOffsets<HostMemory>(HostVector<std::int32_t>(1, 0))}, 0);
    const auto a = random_spd(80, 3, 2, 1, 5);
    check(a, ssor::greedy_colouring(a).n_colours);
}

TEST(Ssor, TellsItsColours) {
    OpenMP backend(2);
    const auto a = poisson3d<double>(backend, 6, 5, 4);
    const auto details = Ssor<OpenMP, double>(backend, a).details();
    EXPECT_EQ(details.factorisation->level_sets, 2);
    EXPECT_EQ(details.factorisation->nonzeros, (a.nnz() + a.n_rows) / 2);
    EXPECT_GT(details.bytes, a.nnz() * 12);
    EXPECT_EQ(details.setup.size(), 2U);
    const auto dense_one = random_spd(20, 0, 1, 20, 5);
    EXPECT_EQ((Ssor<OpenMP, double>(backend, dense_one).details().factorisation->level_sets), 20);
}

TEST(Ssor, GivesTheSameBitsOnAnyNumberOfThreads) {
    expect_same_bits_on_threads(
        [](OpenMP& backend, const HostCsr<double>& a) { return Ssor<OpenMP, double>(backend, a, {.omega = 1.3}); });
}

TEST(Ssor, TakesFewerIterationsThanJacobi) {
    OpenMP backend(2);
    const auto check = [&](const HostCsr<double>& a) {
        const HostVector<double> b = random_vector<double>(a.n_rows, 3);
        const auto run = [&](const auto& m) {
            HostVector<double> x(a.n_rows, 0.0);
            const SolveResult result = cg(backend, a, m, b, x, {.rtol = 1e-8});
            EXPECT_EQ(result.reason, StopReason::converged);
            EXPECT_LE(true_relative_residual(a, b, x), 1.01e-8);
            return result.iterations;
        };
        const Size jacobi = run(make_jacobi(backend, a));
        EXPECT_LE(run(Ssor<OpenMP, double>(backend, a)), 7 * jacobi / 10);
        EXPECT_LT(run(Ssor<OpenMP, double>(backend, a, {.omega = 1.2})), jacobi);

        constexpr Index k = 4;
        auto columns = make_multivector<double>(backend, a.n_rows, k),
             x = make_multivector<double>(backend, a.n_rows, k);
        upload(backend, random_vector<double>(Size{a.n_rows} * k, 7), columns.values());
        upload(backend, HostVector<double>(Size{a.n_rows} * k, 0.0), x.values());
        const auto of_block = block_cg(backend, a, Ssor<OpenMP, double>(backend, a, {}, k), columns, x, {.rtol = 1e-8});
        EXPECT_LT(of_block.iterations, 7 * jacobi / 10);
    };
    check(poisson2d<double>(backend, 60, 60));
    check(jump_diffusion3d<double>(backend, 12, 12, 12, {.contrast = 1e3}));
}

TEST(Ssor, IndefiniteMatricesAreNotSaidToBeSolved) {
    OpenMP backend(1);
    auto a = poisson2d<double>(backend, 30, 30);
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) a.values[k] -= a.col_idx[k] == i ? 1.0 : 0;
        }
    });
    HostVector<double> x(a.n_rows, 0.0);
    const Ssor<OpenMP, double> m(backend, a);
    EXPECT_EQ(cg(backend, a, m, random_vector<double>(a.n_rows, 3), x).reason, StopReason::not_positive_definite);
}

TEST(Ssor, RefusesByRow) {
    OpenMP backend(1);
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    const auto refused = [&](double diagonal, double other, double omega = 1) {
        return refusal([&] {
            Ssor<OpenMP, double>(
                backend, csr_from_rows<double>(3, {{{0, 2.0}, {2, other}}, {{1, diagonal}}, {{0, other}, {2, 2.0}}}),
                {.omega = omega});
        });
    };
    EXPECT_EQ(refused(1, 1), "");
    for (const double bad : {0.0, -1.0, nan, inf}) {
        EXPECT_NE(refused(bad, 1).find("(2, 2) is"), std::string::npos) << bad;
    }
    for (const double bad : {nan, inf, -inf}) EXPECT_NE(refused(1, bad).find("(1, 3) is"), std::string::npos) << bad;
    for (const double bad : {0.0, 2.0, -0.5, 3.0, nan}) {
        EXPECT_NE(refused(1, 1, bad).find("omega"), std::string::npos) << bad;
    }
    EXPECT_NE(refusal([&] { Ssor<OpenMP, double>(backend, HostCsr<double>{.n_rows = 0, .n_cols = 1}); }).find("square"),
              std::string::npos);
}

}  // namespace
}  // namespace stiefel::test
