#pragma once

#include "support/block_cg_ends.hpp"
#include "support/bounds.hpp"
#include "support/preconditioned_cg_suite.hpp"
#include "support/slow_monitor.hpp"

#include <functional>

namespace stiefel::test {

/// How runs end whose preconditioner is not pointwise: every reason, in CG and in block CG. M is the identity, but
/// nobody knows.
template <class B, class T>
class PreconditionedEnds {
public:
    explicit PreconditionedEnds(B& backend) : backend_(backend) {}

    void late_ends_are_named() {
        for (const int copies : {1, 41}) {
            check_late_ends<T>(copies, [this](const HostCsr<T>& a, const HostVector<T>&, const HostVector<T>& b,
                                              HostVector<T>& x, const CgOptions& options) {
                const auto b_here = brought(backend_, b);
                auto x_here = brought(backend_, x);
                const auto a_here = brought(backend_, a);
                const SolveResult result = cg(backend_, a_here, identity(a.n_rows), b_here, x_here, options);
                download(backend_, x_here, x);
                return result;
            });
        }
    }

    /// After some iterations; a device's loop runs on for so many at most until it hears of it, and not at all where it
    /// was to wait.
    void ends_when_it_is_asked(Size runs_on) {
        for (const Size asked : {3, 25}) {
            const auto monitor = [&](const CgProgress& progress) { return progress.iteration < asked; };
            CgOptions options{.rtol = 0, .max_iterations = 1000000, .monitor = monitor};
            const SolveResult result = on_a_line(options);
            EXPECT_EQ(result.reason, StopReason::interrupted);
            EXPECT_GE(result.iterations, asked);
            EXPECT_LE(result.iterations, asked + runs_on);
            options.pauses = {asked};
            EXPECT_EQ(on_a_line(options).iterations, asked);
        }
    }

    void ends_when_the_time_is_up(Size runs_on) {
        constexpr double limit = 0.01;
        SlowAt slow(7, limit);
        const SolveResult result =
            on_a_line({.rtol = 0, .max_iterations = 1000000, .monitor = std::ref(slow), .time_limit = limit});
        EXPECT_EQ(result.reason, StopReason::time_limit);
        EXPECT_GE(result.seconds, limit);
        EXPECT_LE(result.iterations, 7 + runs_on);
        EXPECT_EQ(slow.last(), result.iterations);
    }

    void late_ends_of_blocks_are_named() {
        check_late_block_ends<T>([this](const HostCsr<T>& a, const HostMultivector<T>& b, HostMultivector<T>& x,
                                        const CgOptions& options) { return solve_block(a, b, x, options); });
    }

    void blocks_end_when_they_are_asked() {
        OpenMP maker(1);
        const HostCsr<T> a = poisson2d<T>(maker, 20, 20);
        const Size size = Size{a.n_rows} * 3;
        const auto ends = [&](const CgOptions& options) {
            const HostMultivector<T> b(random_vector<T>(size, 3), a.n_rows, 3);
            HostMultivector<T> x(HostVector<T>(size, T{0}), a.n_rows, 3);
            return solve_block(a, b, x, options).reason;
        };
        EXPECT_EQ(ends({.rtol = 0, .monitor = [](const CgProgress& progress) { return progress.iteration < 7; }}),
                  StopReason::interrupted);
        EXPECT_EQ(ends({.rtol = 0, .time_limit = 0}), StopReason::time_limit);
        EXPECT_EQ(ends({.rtol = 0, .monitor = SlowAt(7, 0.01), .time_limit = 0.01}), StopReason::time_limit);
        EXPECT_EQ(ends({.rtol = 0, .max_iterations = 7}), StopReason::max_iterations);
    }

    void blocks_know_a_preconditioner_that_is_not_positive() {
        const HostCsr<T> a = diagonal_matrix<T>({1, 2, 3, 4});
        const HostMultivector<T> b(random_vector<T>(8, 3), 4, 2);
        HostMultivector<T> x(HostVector<T>(8, T{0}), 4, 2);
        const auto reason = [&](std::initializer_list<T> inverse) {
            const Opaque<B, T> m{{brought(backend_, HostVector<T>(inverse))}};
            const BlockSolveResult result = solve_block(a, b, x, {.rtol = 1e-4}, m);
            EXPECT_TRUE(result.reason != StopReason::not_positive_definite ||
                        result.evidence == Evidence::preconditioner);
            return result.reason;
        };
        EXPECT_EQ(reason({-1, -1, -1, -1}), StopReason::not_positive_definite) << "from the start";
        EXPECT_EQ(reason({1, 0.5, 0.25, -20}), StopReason::not_positive_definite) << "indefinite";
        EXPECT_EQ(reason({1, std::numeric_limits<T>::quiet_NaN(), 1, 1}), StopReason::not_finite);
    }

private:
    Opaque<B, T> identity(Index n) { return {{brought(backend_, HostVector<T>(n, T{1}))}}; }

    /// On a line this long residuals do not fall before a device hears its host: see NoLoopOutrunsItsWindow of CG.
    SolveResult on_a_line(const CgOptions& options) {
        OpenMP maker(1);
        const HostCsr<T> a = poisson1d<T>(maker, HostBackend<B> ? 3000 : 200000);
        const HostVector<T> b = random_vector<T>(a.n_rows, 6);
        const auto a_here = brought(backend_, a);
        const auto b_here = brought(backend_, b);
        auto x_here = brought(backend_, HostVector<T>(b.size(), T{0}));
        const SolveResult result = cg(backend_, a_here, identity(a.n_rows), b_here, x_here, options);
        HostVector<T> x(b.size());
        download(backend_, x_here, x);
        EXPECT_EQ(result.x_iteration, result.iterations);
        EXPECT_TRUE(within(result.relative_residual, true_relative_residual(a, b, x), true_residual_bound(a, b, x)));
        return result;
    }

    BlockSolveResult solve_block(const HostCsr<T>& a, const HostMultivector<T>& b, HostMultivector<T>& x,
                                 const CgOptions& options) {
        return solve_block(a, b, x, options, identity(a.n_rows));
    }
    BlockSolveResult solve_block(const HostCsr<T>& a, const HostMultivector<T>& b, HostMultivector<T>& x,
                                 const CgOptions& options, const Opaque<B, T>& m) {
        const MultivectorOf<B, T> b_here(brought(backend_, b.values()), b.n_rows(), b.n_cols());
        MultivectorOf<B, T> x_here(brought(backend_, x.values()), b.n_rows(), b.n_cols());
        const auto a_here = brought(backend_, a);
        const BlockSolveResult result = block_cg(backend_, a_here, m, b_here, x_here, options);
        download(backend_, x_here.values(), x.values());
        return result;
    }

    B& backend_;
};

}  // namespace stiefel::test
