// A problem shared by two processes, here two threads with a backend each: sums end over both, and no algorithm knows.
#include "support/matrices.hpp"

#include "stiefel/solver/block_cg.hpp"
#include "stiefel/solver/cg.hpp"

#include <gtest/gtest.h>

#include <array>
#include <barrier>
#include <cmath>
#include <thread>
#include <vector>

namespace stiefel::test {
namespace {

constexpr int n_ranks = 2;

/// What the two have in common: a place to leave numbers, and to wait for each other.
struct Shared {
    std::array<std::vector<double>, n_ranks> left;
    std::barrier<> barrier{n_ranks};
};

class TwoThreads : public World {
public:
    TwoThreads(Shared& shared, int rank) : shared_(shared), rank_(static_cast<std::size_t>(rank)) {}

    void all_sum(double* sums, Size n) override {
        exchange(sums, n, [](double a, double b) { return a + b; });
    }
    void all_max(double* maxima, Size n) override {
        exchange(maxima, n, [](double a, double b) { return std::isnan(a) || a > b ? a : b; });
    }

    /// Leaves a number for the other, and takes its.
    double swap_with_other(double own) {
        shared_.left[rank_] = {own};
        shared_.barrier.arrive_and_wait();
        const double other = shared_.left[1 - rank_][0];
        shared_.barrier.arrive_and_wait();
        return other;
    }
    int rank() const override { return static_cast<int>(rank_); }
    int size() const override { return n_ranks; }

private:
    template <class F>
    void exchange(double* values, Size n, F&& combine) {
        shared_.left[rank_].assign(values, values + n);
        shared_.barrier.arrive_and_wait();
        for (Size i = 0; i < n; ++i) {
            const auto place = static_cast<std::size_t>(i);
            values[i] = combine(shared_.left[0][place], shared_.left[1][place]);
        }
        shared_.barrier.arrive_and_wait();
    }

    Shared& shared_;
    std::size_t rank_;
};

/// The upper or lower half of the rows of a 1-D Laplacian, whose diagonal is 2 + i / n.
struct Half {
    TwoThreads& world;
    Index n;  ///< rows here

    double diagonal(Index i) const {
        const auto row = static_cast<double>(i + static_cast<Index>(world.rank()) * n);
        return 2 + row / (2.0 * n);
    }
    /// Row i of A x for a column whose elements lie `ld` apart; `beyond` is the other half's element next to this one.
    double row(Index i, const double* x, Size ld, double beyond) const {
        const bool is_upper = world.rank() == 0;
        const double before = i > 0 ? x[(i - 1) * ld] : is_upper ? 0 : beyond;
        const double after = i + 1 < n ? x[(i + 1) * ld] : is_upper ? beyond : 0;
        return diagonal(i) * x[i * ld] - before - after;
    }
    double beyond(const double* x, Size ld) const {
        return world.swap_with_other(world.rank() == 0 ? x[(n - 1) * ld] : x[0]);
    }
};

template <class B>
void spmm(B&, const Half& a, HostMatrix<const double> x, HostMatrix<double> y, double alpha, double beta) {
    for (Index j = 0; j < x.n_cols; ++j) {
        const double beyond = a.beyond(x.data + j, x.ld);
        for (Index i = 0; i < a.n; ++i) {
            double& place = y.data[i * y.ld + j];
            place = alpha * a.row(i, x.data + j, x.ld, beyond) + (beta == 0 ? 0 : beta * place);
        }
    }
}
template <class B>
void spmv(B& backend, const Half& a, const HostVector<double>& x, HostVector<double>& y, double alpha, double beta) {
    spmm(backend, a, {x.data(), a.n, 1, 1}, HostMatrix<double>{y.data(), a.n, 1, 1}, alpha, beta);
}

/// Both halves of a solve, by f(backend, half of A, Jacobi of it, half of b, half of x) -> iterations.
template <class B, class F>
void solve_in_two(Index n, Index k, const HostVector<double>& b, HostVector<double>& x, std::array<Size, 2>& iterations,
                  F&& f) {
    Shared shared;
    std::vector<std::thread> threads;
    for (int rank = 0; rank < n_ranks; ++rank) {
        threads.emplace_back([&, rank] {
            TwoThreads world(shared, rank);
            B backend{};
            backend.join(world);
            const Half a{world, n};
            HostJacobi<double> m{HostVector<double>(n)};
            for (Index i = 0; i < n; ++i) m.inverse_diagonal[i] = 1 / a.diagonal(i);
            const Size first = Size{rank} * n * k;
            HostVector<double> own_b(Size{n} * k), own_x(Size{n} * k, 0.0);
            std::copy_n(b.data() + first, own_b.size(), own_b.data());
            iterations[static_cast<std::size_t>(rank)] = f(backend, a, m, std::move(own_b), own_x);
            std::copy_n(own_x.data(), own_x.size(), x.data() + first);
        });
    }
    for (std::thread& thread : threads) thread.join();
}

/// |b - A x| / |b| of column j, over both halves.
double relative_residual(Index n, Index k, Index j, const HostVector<double>& b, const HostVector<double>& x) {
    long double r2 = 0, b2 = 0;
    const auto at = [&](const HostVector<double>& v, Index i) { return static_cast<long double>(v[Size{i} * k + j]); };
    for (Index i = 0; i < 2 * n; ++i) {
        const long double left = i > 0 ? at(x, i - 1) : 0, right = i + 1 < 2 * n ? at(x, i + 1) : 0;
        const long double r = at(b, i) - (2 + i / (2.0L * n)) * at(x, i) + left + right;
        r2 += r * r;
        b2 += at(b, i) * at(b, i);
    }
    return static_cast<double>(std::sqrt(r2 / b2));
}

template <class B>
class SharedProblem : public ::testing::Test {};
using HostBackends = ::testing::Types<Serial, OpenMP>;
TYPED_TEST_SUITE(SharedProblem, HostBackends);

TYPED_TEST(SharedProblem, CgSolvesItInBothAlike) {
    for (const Index n : {1, 40, 3000}) {
        const HostVector<double> b = random_vector<double>(2 * n, 3);
        HostVector<double> x(2 * n, 0.0);
        std::array<Size, 2> iterations{};
        solve_in_two<TypeParam>(n, 1, b, x, iterations,
                                [](auto& backend, const Half& a, const auto& m, auto own, auto& y) {
                                    const SolveResult result = cg(backend, a, m, own, y, {.rtol = 1e-10});
                                    EXPECT_EQ(result.reason, StopReason::converged);
                                    return result.iterations;
                                });
        EXPECT_EQ(iterations[0], iterations[1]);
        EXPECT_LE(relative_residual(n, 1, 0, b, x), 1.1e-10) << n;
    }
}

TYPED_TEST(SharedProblem, BlockCgSolvesItInBothAlike) {
    constexpr Index n = 500, k = 3;
    const HostVector<double> b = random_vector<double>(2 * n * k, 3);
    HostVector<double> x(2 * n * k, 0.0);
    std::array<Size, 2> iterations{};
    solve_in_two<TypeParam>(n, k, b, x, iterations, [](auto& backend, const Half& a, const auto& m, auto own, auto& y) {
        const HostMultivector<double> own_b(std::move(own), n, k);
        HostMultivector<double> own_x(std::move(y), n, k);
        const BlockSolveResult result = block_cg(backend, a, m, own_b, own_x, {.rtol = 1e-10});
        y = std::move(own_x.values());
        EXPECT_EQ(result.reason, StopReason::converged);
        return result.iterations;
    });
    EXPECT_EQ(iterations[0], iterations[1]);
    for (Index j = 0; j < k; ++j) EXPECT_LE(relative_residual(n, k, j, b, x), 1.1e-10) << j;
}

}  // namespace
}  // namespace stiefel::test
