#pragma once

#include "support/brought.hpp"
#include "support/matrices.hpp"
#include "support/true_residual.hpp"

#include "stiefel/preconditioner/any_preconditioner.hpp"
#include "stiefel/preconditioner/scaled_chebyshev.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/block_cg_solver.hpp"
#include "stiefel/solver/cg_solver.hpp"
#include "stiefel/spmv/spmv.hpp"
#include "stiefel/spmv/spmv_work.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace stiefel::test {

/// Jacobi times a factor, as a preconditioner that nobody knows to be pointwise; counts how often it is enqueued.
template <class B, class T>
struct Opaque {
    Jacobi<T, typename B::memory> jacobi;
    mutable int calls = 0;

    friend void precondition(B& backend, const Opaque& m, MatrixOf<B, const T> r, MatrixOf<B, T> z) {
        ++m.calls;
        precondition(backend, m.jacobi, r, z);
    }
};

/// The same as a diagonal matrix, whose product gives <r, M r> in passing.
template <class B, class T>
struct GivesDot {
    Csr<T, typename B::memory> inverse;
    bool gives = true;

    bool gives_dot() const { return gives; }
    friend void precondition(B& backend, const GivesDot& m, const VectorOf<B, T>& r, VectorOf<B, T>& z) {
        spmv(backend, m.inverse, r, z);
    }
    friend void precondition(B& backend, const GivesDot& m, MatrixOf<B, const T> r, MatrixOf<B, T> z) {
        spmm(backend, m.inverse, r, z);
    }
    friend void precondition_dot(B& backend, const GivesDot& m, const VectorOf<B, T>& r, VectorOf<B, T>& z,
                                 double* dot) {
        spmv_dot(backend, m.inverse, r, z, dot);
    }
};

/// A matrix that remembers the vectors that it was multiplied with, and how often that was enqueued.
template <class B, class T>
struct Watched {
    const Csr<T, typename B::memory>& a;
    mutable std::set<const T*> operands = {};
    mutable int calls = 0;

    friend void spmv(B& backend, const Watched& w, const VectorOf<B, T>& x, VectorOf<B, T>& y, T alpha, T beta) {
        w.operands.insert({x.data(), y.data()});
        ++w.calls;
        spmv(backend, w.a, x, y, alpha, beta);
    }
};

/// The same for panels.
template <class B, class T>
struct WatchedPanels {
    const Csr<T, typename B::memory>& a;
    mutable std::set<const T*> operands = {};
    mutable int calls = 0;

    friend void spmm(B& backend, const WatchedPanels& w, MatrixOf<B, const T> x, MatrixOf<B, T> y, T alpha, T beta) {
        w.operands.insert({x.data, y.data});
        ++w.calls;
        spmm(backend, w.a, x, y, alpha, beta);
    }
    friend Work spmm_work(const WatchedPanels& w, Index k) { return spmm_work(w.a, k); }
};

/// CG with preconditioners that are not pointwise, and the solver that is kept, on any backend.
template <class B, class T>
class PreconditionedCgSuite {
public:
    explicit PreconditionedCgSuite(B& backend) : backend_(backend) {}

    static constexpr double rtol = std::is_same_v<T, double> ? 1e-10 : 1e-5;

    /// The general path takes the steps of the fused one.
    void takes_the_steps_of_the_fused_path() {
        const HostCsr<T> host = jump_diffusion3d<T>(maker_, 8, 8, 8, {.contrast = 100});
        const auto a = brought(backend_, host);
        const Opaque<B, T> opaque{make_jacobi(backend_, a)};
        HostVector<T> x, y;
        const SolveResult fused = solve(a, opaque.jacobi, right_hand_side(host), x, {.rtol = rtol});
        const SolveResult general = solve(a, opaque, right_hand_side(host), y, {.rtol = rtol});
        EXPECT_EQ(fused.reason, StopReason::converged);
        EXPECT_EQ(general.reason, StopReason::converged);
        EXPECT_NEAR(static_cast<double>(general.iterations), static_cast<double>(fused.iterations), 2);
        EXPECT_LE(static_cast<double>(true_relative_residual(host, right_hand_side(host), y)), 2 * rtol);
        ASSERT_EQ(general.kernels.size(), 5u);
        for (const KernelTime& kernel : general.kernels) {
            EXPECT_GT(kernel.calls, 0) << kernel.name;
            EXPECT_GT(kernel.seconds, 0) << kernel.name;
        }
        if constexpr (HostBackend<B>) {
            EXPECT_EQ(opaque.calls, general.iterations) << "not applied once it is over";
            EXPECT_EQ(general.kernels[2].calls, opaque.calls) << "each application is timed, and nothing else";
            EXPECT_EQ(general.kernels[4].calls, general.iterations - 1 - general.restarts)
                << "no direction is taken after the last";
        }
    }

    /// What M gives of <r, M r> stands for the kernel that finds it, also where nobody knows what M is, and ends a run.
    void takes_the_dot_that_is_given() {
        const HostCsr<T> host = jump_diffusion3d<T>(maker_, 8, 8, 8, {.contrast = 100});
        const auto a = brought(backend_, host);
        GivesDot<B, T> m{brought(backend_, inverse_diagonal(host))};
        const HostVector<T> b = right_hand_side(host);
        HostVector<T> x, y, z;
        const SolveResult given = solve(a, m, b, x, {.rtol = rtol});
        m.gives = false;
        const SolveResult found = solve(a, m, b, y, {.rtol = rtol});
        m.gives = true;
        EXPECT_EQ(given.reason, StopReason::converged);
        EXPECT_NEAR(static_cast<double>(given.iterations), static_cast<double>(found.iterations), 2);
        EXPECT_LE(static_cast<double>(true_relative_residual(host, b, x)), 2 * rtol);
        EXPECT_EQ(given.kernels.size() + 1, found.kernels.size());
        for (const KernelTime& kernel : given.kernels) {
            EXPECT_NE(kernel.name, "cg_rho");
            EXPECT_GT(kernel.calls, 0) << kernel.name;
        }
        const AnyPreconditioner<B, T> any(std::move(m));
        EXPECT_TRUE(any.gives_dot());
        const SolveResult erased = solve(a, any, b, z, {.rtol = rtol});
        EXPECT_EQ(erased.iterations, given.iterations);
        EXPECT_EQ(std::memcmp(x.data(), z.data(), static_cast<std::size_t>(x.bytes())), 0);
        EXPECT_FALSE((AnyPreconditioner<B, T>(Opaque<B, T>{make_jacobi(backend_, a)}).gives_dot()));

        HostCsr<T> negative = inverse_diagonal(host);
        for (Size k = 0; k < negative.nnz(); ++k) negative.values[k] = -negative.values[k];
        const GivesDot<B, T> indefinite{brought(backend_, negative)};
        EXPECT_EQ(solve(a, indefinite, b, y, {.rtol = rtol}).reason, StopReason::not_positive_definite);
        negative.values[5] = std::numeric_limits<T>::quiet_NaN();
        const GivesDot<B, T> no_numbers{brought(backend_, negative)};
        EXPECT_EQ(solve(a, no_numbers, b, y, {.rtol = rtol}).reason, StopReason::not_finite);
    }

    void chebyshev_cuts_the_iterations() {
        const HostCsr<T> host = poisson2d<T>(maker_, 60, 60);
        const auto a = brought(backend_, host);
        HostVector<T> x, y;
        const SolveResult plain = solve(a, Identity{}, right_hand_side(host), x, {.rtol = rtol});
        const auto m = make_scaled_chebyshev<B, T>(backend_, a, make_jacobi(backend_, a), 1);
        const SolveResult result = solve(a, m, right_hand_side(host), y, {.rtol = rtol});
        EXPECT_EQ(result.reason, StopReason::converged);
        EXPECT_LT(3 * result.iterations, plain.iterations);
        EXPECT_LE(static_cast<double>(true_relative_residual(host, right_hand_side(host), y)), 2 * rtol);
    }

    /// Block CG in the inner product of M: as with the same M folded into its kernels, and as cg for a single column.
    void serves_blocks() {
        const HostCsr<T> host = jump_diffusion3d<T>(maker_, 8, 8, 8, {.contrast = 100});
        const auto a = brought(backend_, host);
        const Opaque<B, T> opaque{make_jacobi(backend_, a)};
        for (const Index k : {1, 3, 8, 20}) {
            SCOPED_TRACE(k);
            const HostVector<T> b = random_vector<T>(Size{host.n_rows} * k, 7);
            const auto chebyshev = make_scaled_chebyshev<B, T>(backend_, a, make_jacobi(backend_, a), k);
            const Size fused = block_solve(host, a, opaque.jacobi, b, k);
            const Size general = block_solve(host, a, opaque, b, k);
            EXPECT_NEAR(static_cast<double>(general), static_cast<double>(fused), 2);
            // Blocks of k fill the space of 512 in 512 / k iterations whatever M is: the wider, the less there is to
            // gain.
            const double bound = k <= 3 ? 1.0 / 2 : k <= 8 ? 2.0 / 3 : 4.0 / 5;
            EXPECT_LT(static_cast<double>(block_solve(host, a, chebyshev, b, k)), bound * static_cast<double>(fused));
        }
    }

    /// Columns that are the same, or multiples, or 0.
    void serves_dependent_columns() {
        constexpr Index k = 5;
        const HostCsr<T> host = jump_diffusion3d<T>(maker_, 6, 6, 6, {.contrast = 100});
        const auto a = brought(backend_, host);
        const Opaque<B, T> opaque{make_jacobi(backend_, a)};
        HostVector<T> b = random_vector<T>(Size{host.n_rows} * k, 7);
        for (Size i = 0; i < host.n_rows; ++i) {
            b[i * k + 1] = b[i * k];
            b[i * k + 2] = -3 * b[i * k];
            b[i * k + 3] = 0;
        }
        EXPECT_GT(block_solve(host, a, opaque, b, k), 5);
    }

    void names_the_reasons_to_stop() {
        constexpr T nan = std::numeric_limits<T>::quiet_NaN();
        const HostVector<T> b{1, 2, 3, 4};
        EXPECT_EQ(ends({1, 2, 3, 4}, {1, 1, 1, 1}, b), StopReason::converged);
        EXPECT_EQ(ends({1, 2, 3, 4}, {1, 1, 1, 1}, b, {.max_iterations = 2}), StopReason::max_iterations);
        EXPECT_EQ(ends({1, 2, -3, 4}, {1, 1, 1, 1}, b), StopReason::not_positive_definite);
        EXPECT_EQ(ends({1, 2, 3, 4}, {-1, -1, -1, -1}, b), StopReason::not_positive_definite) << "M is negative";
        EXPECT_EQ(ends({1, 2, 3, 4}, {1, 0.5, 0.25, -20}, b), StopReason::not_positive_definite) << "M is indefinite";
        EXPECT_EQ(ends({1, 2, 3, 4}, {1, nan, 1, 1}, b), StopReason::not_finite) << "M has a NaN";
        EXPECT_EQ(ends({1, nan, 3, 4}, {1, 1, 1, 1}, b), StopReason::not_finite);
        EXPECT_EQ(ends({1, 2, 3, 4}, {1, 1, 1, 1}, b, {.rtol = 0, .monitor = [](const auto&) { return false; }}),
                  StopReason::interrupted);
        EXPECT_EQ(ends({1, 2, 3, 4}, {1, 1, 1, 1}, b, {.rtol = 0, .time_limit = 0}), StopReason::time_limit);
    }

    /// As many iterations as are asked for, at every place of a loop's stride.
    void keeps_to_its_budget() {
        const HostCsr<T> host = poisson2d<T>(maker_, 40, 40);
        const auto a = brought(backend_, host);
        const Opaque<B, T> m{make_jacobi(backend_, a)};
        for (const Size budget : {0, 1, 4, 5, 6, 17}) {
            HostVector<T> x;
            Size told = -1;
            const SolveResult result =
                solve(a, m, right_hand_side(host), x,
                      {.rtol = 0, .max_iterations = budget, .monitor = [&](const auto& progress) {
                           EXPECT_EQ(progress.iteration, told + 1);
                           told = progress.iteration;
                           return true;
                       }});
            EXPECT_EQ(result.iterations, budget);
            EXPECT_EQ(told, budget);
            const auto actual = static_cast<double>(true_relative_residual(host, right_hand_side(host), x));
            EXPECT_NEAR(result.relative_residual, actual, 1e-4 * actual) << "x has caught up";
        }
    }

    /// From the second solve on nothing is made anew: the vectors are those of the first, and on a device the loop that
    /// was captured runs again, so that the host enqueues no more than a few products.
    void is_kept_for_many_solves() {
        const HostCsr<T> host = poisson2d<T>(maker_, 50, 50);
        const auto a = brought(backend_, host);
        const Watched<B, T> watched{a};
        const Opaque<B, T> m{make_jacobi(backend_, a)};
        HostVector<T> x(host.n_rows, T{0});
        const HostVector<T> b = right_hand_side(host), other = random_vector<T>(host.n_rows, 9);
        const auto b_here = brought(backend_, b), other_here = brought(backend_, other);
        auto x_here = brought(backend_, x), y_here = brought(backend_, x), z_here = brought(backend_, x);
        CgSolver<B, T, Watched<B, T>, Opaque<B, T>> solver(backend_, watched, m, host.n_rows);
        const SolveResult first = solver.solve(b_here, x_here, {.rtol = rtol});
        const auto operands = watched.operands;
        const int calls = watched.calls;
        const SolveResult between = solver.solve(other_here, y_here, {.rtol = rtol});
        const SolveResult second = solver.solve(b_here, z_here, {.rtol = rtol});
        EXPECT_EQ(first.reason, StopReason::converged);
        EXPECT_EQ(between.reason, StopReason::converged);
        EXPECT_EQ(second.iterations, first.iterations);
        EXPECT_TRUE(watched.operands == operands) << "other vectors than in the first solve";
        EXPECT_TRUE(same_bits(x_here, z_here));
        if constexpr (HostBackend<B>) {
            for (std::size_t k = 0; k < first.kernels.size(); ++k) {
                EXPECT_EQ(second.kernels[k].calls, first.kernels[k].calls) << "times are of one solve";
            }
        } else {
            const Size residuals = between.restarts + second.restarts + 4;
            EXPECT_LE(watched.calls - calls, residuals) << "the loop was captured again";
        }
        HostVector<T> y(host.n_rows);
        download(backend_, y_here, y);
        EXPECT_LE(static_cast<double>(true_relative_residual(host, other, y)), 2 * rtol);
        auto short_x = brought(backend_, HostVector<T>(3, T{0}));
        EXPECT_THROW(solver.solve(short_x, short_x), InvalidArgument);
    }

    /// The same for blocks; and of what a solve left behind nothing gets into the next.
    void is_kept_for_many_blocks() {
        constexpr Index k = 4;
        const HostCsr<T> host = poisson2d<T>(maker_, 40, 40);
        const auto a = brought(backend_, host);
        const WatchedPanels<B, T> watched{a};
        const Opaque<B, T> m{make_jacobi(backend_, a)};
        const Size size = Size{host.n_rows} * k;
        const auto panel = [&](const HostVector<T>& values) {
            return MultivectorOf<B, T>(brought(backend_, values), host.n_rows, k);
        };
        const HostVector<T> b = random_vector<T>(size, 7), other = random_vector<T>(size, 9);
        const auto b_here = panel(b), other_here = panel(other);
        auto x = panel(HostVector<T>(size, T{0})), y = panel(random_vector<T>(size, 5));
        auto z = panel(HostVector<T>(size, T{0})), one_shot = panel(HostVector<T>(size, T{0}));
        const CgOptions options{.rtol = block_rtol};
        BlockCgSolver<B, T, WatchedPanels<B, T>, Opaque<B, T>> solver(backend_, watched, m, host.n_rows, k);
        const BlockSolveResult first = solver.solve(b_here, x, options);
        const auto operands = watched.operands;
        const int calls = watched.calls;
        const BlockSolveResult between = solver.solve(other_here, y, options);  // from a guess
        solver.solve(other_here, y, {.max_iterations = 3, .history = true});
        const int before = watched.calls;
        const BlockSolveResult second = solver.solve(b_here, z, options);
        EXPECT_EQ(first.reason, StopReason::converged);
        EXPECT_EQ(between.reason, StopReason::converged);
        EXPECT_EQ(second.iterations, first.iterations);
        EXPECT_EQ(second.columns.size(), static_cast<std::size_t>(k));
        EXPECT_TRUE(second.history.empty());
        EXPECT_TRUE(watched.operands == operands) << "other panels than in the first solve";
        EXPECT_TRUE(same_bits(x.values(), z.values()));
        if constexpr (HostBackend<B>) {
            EXPECT_EQ(watched.calls - before, calls);
            for (std::size_t i = 0; i < first.kernels.size(); ++i) {
                EXPECT_EQ(second.kernels[i].calls, first.kernels[i].calls) << "times are of one solve";
            }
        } else {
            EXPECT_LE(watched.calls - before, second.restarts + 2) << "the loop was captured again";
        }
        block_cg(backend_, watched, m, b_here, one_shot, options);
        EXPECT_TRUE(same_bits(one_shot.values(), z.values()));
        auto narrow = MultivectorOf<B, T>(brought(backend_, HostVector<T>(host.n_rows, T{0})), host.n_rows, 1);
        EXPECT_THROW(solver.solve(narrow, narrow), InvalidArgument);
    }

private:
    static constexpr double block_rtol = std::is_same_v<T, double> ? 1e-10 : 1e-4;

    static HostVector<T> right_hand_side(const HostCsr<T>& a) { return random_vector<T>(a.n_rows, 1); }

    static HostCsr<T> inverse_diagonal(const HostCsr<T>& a) {
        Serial serial;
        const HostJacobi<T> jacobi = make_jacobi(serial, a);
        std::vector<std::vector<std::pair<Index, T>>> rows;
        for (Index i = 0; i < a.n_rows; ++i) rows.push_back({{i, jacobi.inverse_diagonal[i]}});
        return csr_from_rows<T>(a.n_rows, rows);
    }

    bool same_bits(const VectorOf<B, T>& a, const VectorOf<B, T>& b) {
        HostVector<T> x(a.size()), y(b.size());
        download(backend_, a, x);
        download(backend_, b, y);
        return std::memcmp(x.data(), y.data(), static_cast<std::size_t>(x.bytes())) == 0;
    }

    template <class A, class M>
    SolveResult solve(const A& a, const M& m, const HostVector<T>& b, HostVector<T>& x, const CgOptions& options) {
        const auto b_here = brought(backend_, b);
        auto x_here = brought(backend_, HostVector<T>(b.size(), T{0}));
        const SolveResult result = cg<B, T, A, M>(backend_, a, m, b_here, x_here, options);
        x = HostVector<T>(b.size());
        download(backend_, x_here, x);
        return result;
    }

    /// Solves with rtol, checks every column, and returns the iterations.
    template <class A, class M>
    Size block_solve(const HostCsr<T>& host, const A& a, const M& m, const HostVector<T>& b, Index k) {
        const Index n = host.n_rows;
        const MultivectorOf<B, T> b_here(brought(backend_, b), n, k);
        MultivectorOf<B, T> x_here(brought(backend_, HostVector<T>(b.size(), T{0})), n, k);
        const BlockSolveResult result = block_cg(backend_, a, m, b_here, x_here, {.rtol = block_rtol});
        EXPECT_EQ(result.reason, StopReason::converged);
        HostVector<T> x(b.size());
        download(backend_, x_here.values(), x);
        for (Index j = 0; j < k; ++j) {
            HostVector<T> b_column(n), x_column(n);
            for (Index i = 0; i < n; ++i) {
                b_column[i] = b[Size{i} * k + j];
                x_column[i] = x[Size{i} * k + j];
            }
            EXPECT_LE(static_cast<double>(true_relative_residual(host, b_column, x_column)), 1.1 * block_rtol) << j;
        }
        return result.iterations;
    }

    /// How a run with diagonal A and M ends.
    StopReason ends(std::initializer_list<T> diagonal, HostVector<T> inverse, const HostVector<T>& b,
                    CgOptions options = {}) {
        std::vector<std::vector<std::pair<Index, T>>> rows;
        for (const T value : diagonal) rows.push_back({{static_cast<Index>(rows.size()), value}});
        const auto a = brought(backend_, csr_from_rows<T>(static_cast<Index>(rows.size()), rows));
        const Opaque<B, T> m{{brought(backend_, inverse)}};
        HostVector<T> x;
        if (options.rtol > 0) options.rtol = rtol;
        return solve(a, m, b, x, options).reason;
    }

    B& backend_;
    OpenMP maker_{1};
};

}  // namespace stiefel::test
