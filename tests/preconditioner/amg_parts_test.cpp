#include "stiefel/preconditioner/amg/amg.hpp"
#include "stiefel/preconditioner/amg/coarsening.hpp"
#include "stiefel/preconditioner/amg/gauss_seidel.hpp"
#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/cg.hpp"

#include "support/csr_checks.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace stiefel::test {
namespace {

TEST(AmgParts, SayWhatTheyAre) {
    for (const auto& entry : amg::smoothers<OpenMP, float>) {
        EXPECT_FALSE(entry.name.empty());
        EXPECT_FALSE(entry.description.empty()) << entry.name;
        EXPECT_FALSE(entry.source.empty()) << entry.name;
    }
    for (const auto& entry : amg::cycles) {
        EXPECT_FALSE(entry.name.empty());
        EXPECT_FALSE(entry.description.empty()) << entry.name;
        EXPECT_FALSE(entry.source.empty()) << entry.name;
    }
}

TEST(AmgParts, ThatThereAreNotAreAnsweredWithAll) {
    OpenMP backend(1);
    const auto a = poisson2d<double>(backend, 5, 5);
    const auto refused = [&](const amg::SetupOptions& options) {
        return refusal([&] { const Amg<OpenMP, double> m(backend, a, options); });
    };
    EXPECT_NE(refused({.smoother = "sor"}).find("'sor', but chebyshev, gauss-seidel, l1-jacobi, spai0"),
              std::string::npos);
    EXPECT_NE(refused({.cycle = "f"}).find("'f', but auto, v, w, k"), std::string::npos);
}

/// What is counted is what moves: 2 A and 7 n, then 2 A and 10 n, where the steps go on with rows; else each on its
/// own.
TEST(AmgParts, ChebyshevCountsWhatItMoves) {
    OpenMP backend(1);
    const auto a = poisson3d<double>(backend, 12, 12, 12);
    const HostVector<double> ones(a.n_rows, 1.0);
    const auto smoother =
        amg::ListedChebyshevSmoother::make<OpenMP, float>(backend, {.a = a, .left = ones, .right = ones}, 2);
    const HostCompressedSell<float> kept =
        compressed_sell_from_csr<float>(backend, ScaledCsr<double>{a, ones, ones}, 1);
    const double n = 4.0 * a.n_rows, matrix = spmv_work(kept).bytes - 2 * n;
    EXPECT_DOUBLE_EQ(smoother->begin_work(1, true).bytes, 2 * matrix + 7 * n);
    EXPECT_DOUBLE_EQ(smoother->end_work(1).bytes, 2 * matrix + 10 * n);
    EXPECT_DOUBLE_EQ(smoother->begin_work(1, false).bytes, matrix + 2 * n + 8 * n);
    EXPECT_DOUBLE_EQ(smoother->begin_work(2, true).bytes, 2 * (matrix + 4 * n) + 16 * n);
    EXPECT_DOUBLE_EQ(smoother->end_work(2).bytes, 2 * (matrix + 4 * n) + 20 * n);
}

Size iterations_of(OpenMP& backend, const HostCsr<double>& a, const Preconditioner<OpenMP, double> auto& m) {
    const HostVector<double> b = random_vector<double>(a.n_rows, 3);
    HostVector<double> x(a.n_rows, 0.0);
    const auto result = cg(backend, a, m, b, x, {.rtol = 1e-8, .max_iterations = 100});
    EXPECT_EQ(result.reason, StopReason::converged);
    return result.iterations;
}

/// Where a jump leaves parts of the domain all but floating, single precision cannot tell coarse matrices from singular
/// ones: a second visit must not take what is rounding for a residual.
TEST(AmgParts, VisitTwiceWhatIsNearlySingular) {
    OpenMP backend(2);
    const auto a = jump_diffusion3d<double>(backend, 40, 40, 40, {.contrast = 1e8});
    const Size once = iterations_of(backend, a, Amg<OpenMP, double>(backend, a, {.cycle = "v"}));
    constexpr Size most = 18;
    EXPECT_LE(once, most);
    for (const char* cycle : {"auto", "w", "k"}) {
        SCOPED_TRACE(cycle);
        EXPECT_LE(iterations_of(backend, a, Amg<OpenMP, double>(backend, a, {.cycle = cycle})), most + 2);
    }
}

/// On a grid the level below the finest is small, so it is visited twice, or oftener, and iterations do not grow.
TEST(AmgParts, AVisitTwiceKeepsIterationsFromGrowing) {
    OpenMP backend(2);
    std::vector<Size> iterations;
    for (const Index n : {20, 40, 80}) {
        const auto a = poisson3d<double>(backend, n, n, n);
        const Amg<OpenMP, double> m(backend, a);
        const auto about = m.details();
        ASSERT_TRUE(about.multigrid);
        EXPECT_EQ(about.multigrid->cycle, "w");
        EXPECT_EQ(about.levels[0].visits, 1);
        for (std::size_t l = 1; l < about.levels.size(); ++l) EXPECT_GE(about.levels[l].visits, 2) << l;
        iterations.push_back(iterations_of(backend, a, m));
    }
    EXPECT_LE(iterations.back(), iterations.front() + 1);
}

TEST(AmgParts, VisitsAreTwiceWhereTheyAreCheap) {
    const auto times = [](const char* cycle, std::initializer_list<Size> entries, bool on_host = true,
                          bool on_ranks = false) {
        amg::VisitPlan plan(amg::find_listed(amg::cycles, "cycle", cycle), on_host, on_ranks);
        std::vector<int> all;
        for (const Size nnz : entries) plan.next_is_visited_twice(nnz), all.push_back(plan.times());
        return all;
    };
    using Times = std::vector<int>;
    EXPECT_EQ(times("v", {1000000, 100000, 10000}), (Times{1, 1, 1}));
    EXPECT_EQ(times("w", {1000000, 900000, 10, 9}), (Times{1, 2, 4, 8}));
    EXPECT_EQ(times("auto", {1000000, 100000, 10000}), (Times{1, 2, 2}));
    EXPECT_EQ(times("auto", {1000000, 200000, 50000, 10000}), (Times{1, 1, 2, 2}));  // first too much of the finest
    EXPECT_EQ(times("auto", {1000000, 130000, 100000}), (Times{1, 2, 2}));           // below does not shrink: not known
    EXPECT_EQ(times("auto", {1000000, 400000, 140000, 60000}), (Times{1, 1, 1, 1}));    // shrink too little
    EXPECT_EQ(times("auto", {50000, 1000, 10}), (Times{1, 1, 1}));                      // few anyway
    EXPECT_EQ(times("auto", {10000000, 1000000, 100000, 10000}), (Times{1, 2, 4, 4}));  // again, while levels are large
    EXPECT_EQ(times("auto", {2000000, 199000, 20000}), (Times{1, 2, 2}));
    EXPECT_EQ(times("auto", {0, 0}), (Times{1, 1}));
    EXPECT_EQ(times("auto", {1000000, 100000, 10000}, false), (Times{1, 1, 1}));
    EXPECT_EQ(times("auto", {70000000, 9000000, 1000000}, false), (Times{1, 1, 1}));
    EXPECT_EQ(times("auto", {110000000, 14000000, 6000000}, false), (Times{1, 2, 2}));
    EXPECT_EQ(times("w", {1000000, 100000, 10000}, false), (Times{1, 2, 4}));
    EXPECT_EQ(times("auto", {1000000, 200000, 10000}, true, true),
              (Times{1, 2, 2}));  // larger with aggregates of ranks
    EXPECT_EQ(times("auto", {1000000, 340000, 10000}, true, true), (Times{1, 1, 2}));
}

/// All of them solve; visiting coarse levels twice takes no more iterations.
TEST(AmgParts, SolveInFewIterations) {
    OpenMP backend(1);
    const auto a = jump_diffusion3d<double>(backend, 20, 20, 20, {.contrast = 1e4});
    const HostVector<double> b = random_vector<double>(a.n_rows, 7);
    const auto count = [&](std::string_view smoother, std::string_view cycle) {
        const Amg<OpenMP, double> m(backend, a, {.smoother = smoother, .cycle = cycle, .coarsest_rows = 20});
        HostVector<double> x(a.n_rows, 0.0);
        const SolveResult result = cg(backend, a, m, b, x);
        EXPECT_EQ(result.reason, StopReason::converged);
        return result.iterations;
    };
    for (const auto& smoother : amg::smoothers<OpenMP, float>) {
        SCOPED_TRACE(smoother.name);
        const Size once = count(smoother.name, "v");
        EXPECT_LE(once, 26);
        EXPECT_LE(count(smoother.name, "w"), once + 1);
        EXPECT_LE(count(smoother.name, "k"), once + 1);
    }
}

TEST(AmgParts, GiveTheSameBitsOnAnyNumberOfThreads) {
    OpenMP one(1);
    const auto a = jump_diffusion3d<double>(one, 24, 24, 24, {.contrast = 1e3});  // several blocks of Gauss-Seidel
    const HostVector<double> r = random_vector<double>(a.n_rows, 3);
    for (const auto& smoother : amg::smoothers<OpenMP, float>) {
        const auto apply = [&](int threads) {
            OpenMP backend(threads);
            const Amg<OpenMP, double> m(backend, a, {.smoother = smoother.name, .cycle = "w"});
            HostVector<double> z(a.n_rows);
            precondition(backend, m, {r.data(), a.n_rows, 1, 1}, {z.data(), a.n_rows, 1, 1});
            return z;
        };
        const HostVector<double> expected = apply(1), z = apply(3);
        EXPECT_EQ(std::memcmp(z.data(), expected.data(), static_cast<std::size_t>(z.bytes())), 0) << smoother.name;
    }
}

/// A symmetric matrix scaled to a unit diagonal.
HostCsr<double> unit_diagonal(OpenMP& backend, HostCsr<double> a) {
    const HostVector<double> scale = amg::roots(backend, amg::diagonal_of(backend, a), true);
    return scaled_copy<double>(backend, ScaledCsr<double>{a, scale, scale});
}

/// R -= A X for panels of k columns.
void subtract_product(const HostCsr<double>& a, Index k, const HostVector<double>& x, HostVector<double>& r) {
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            for (Size l = row_ptr[i]; l < row_ptr[i + 1]; ++l) {
                for (Index c = 0; c < k; ++c) r[Size{i} * k + c] -= a.values[l] * x[Size{a.col_idx[l]} * k + c];
            }
        }
    });
}

/// In blocks that do not see each other: what is left is r - A x; back is the transpose of forth; and they converge.
TEST(AmgGaussSeidel, IsSymmetricAndConvergesWithAnyBlocks) {
    OpenMP backend(2);
    const auto a = unit_diagonal(backend, elasticity3d<double>(backend, 3, 2, 2));
    const Index n = a.n_rows, k = 2;
    for (const Index blocks : {1, 2, 5, n}) {
        SCOPED_TRACE(blocks);
        const amg::GaussSeidelMatrix<double> m(backend, a, blocks);
        EXPECT_EQ(m.nnz(), a.nnz());
        const auto sweep = [&](HostVector<double> r, Index columns, bool forth) {
            HostVector<double> x(r.size(), 0.0), other(r.size(), 0.0);
            if (forth) {
                m.forward(backend, columns, r.data(), x.data(), other.data(), true);
            } else {
                m.backward(backend, columns, r.data(), other.data(), x.data());
            }
            return x;
        };
        std::vector<double> forth, back;
        for (Index j = 0; j < n; ++j) {
            HostVector<double> unit(n, 0.0), again(n, 0.0);
            unit[j] = again[j] = 1;
            const HostVector<double> there = sweep(std::move(unit), 1, true), here = sweep(std::move(again), 1, false);
            forth.insert(forth.end(), there.begin(), there.end());
            back.insert(back.end(), here.begin(), here.end());
        }
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j < n; ++j) {
                const auto at = [&](Index row, Index column) { return static_cast<std::size_t>(row * n + column); };
                ASSERT_NEAR(forth[at(i, j)], back[at(j, i)], 1e-13);
            }
        }
        const HostVector<double> b = random_vector<double>(Size{n} * k, 1);
        HostVector<double> r(b.size()), x(b.size()), kept(b.size()), by_product(b.size()), e(b.size(), 0.0);
        for (Size i = 0; i < b.size(); ++i) r[i] = by_product[i] = b[i];
        m.forward(backend, k, r.data(), x.data(), kept.data(), true);
        subtract_product(a, k, x, by_product);
        for (Size i = 0; i < b.size(); ++i) ASSERT_NEAR(r[i], by_product[i], 1e-13);
        for (Size i = 0; i < b.size(); ++i) ASSERT_EQ(kept[i], b[i]);
        const auto energy = [&] {  // x'A x / 2 - b'x, least at the solution
            HostVector<double> left(b.size());
            for (Size i = 0; i < b.size(); ++i) left[i] = 2 * b[i];
            subtract_product(a, k, x, left);
            double sum = 0;
            for (Size i = 0; i < b.size(); ++i) sum -= x[i] * left[i] / 2;
            return sum;
        };
        const double before = energy();
        m.backward(backend, k, kept.data(), e.data(), x.data());
        EXPECT_LT(before, 0);
        EXPECT_LT(energy(), before);
    }
}

}  // namespace
}  // namespace stiefel::test
