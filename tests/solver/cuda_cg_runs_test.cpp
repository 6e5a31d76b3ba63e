// How the loops of a device and their host go together: pauses, windows, bits, times.
#include "support/backends.hpp"
#include "support/bounds.hpp"
#include "support/columns.hpp"
#include "support/cuda_cg_loops.hpp"
#include "support/slow_monitor.hpp"
#include "support/true_residual.hpp"

#include "stiefel/core/cuda/loop.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/problems/poisson.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

namespace stiefel::test {
namespace {

template <class T>
class CudaCgRuns : public CudaCgLoops<T> {};
TYPED_TEST_SUITE(CudaCgRuns, EveryType);

// CG needs some 100 000 iterations on the 1-D Laplacian of this size before its residual falls: no run of these tests
// gets there, so none can end by itself before the host has asked.
constexpr Index long_line = 200000;

/// Whoever asks within the iterations that are run one by one is heard before the loop proper begins.
TYPED_TEST(CudaCgRuns, NoLoopBeginsForAHostThatHasAskedToEnd) {
    const HostCsr<TypeParam> a = poisson1d<TypeParam>(this->maker, long_line);
    const HostVector<TypeParam> b = random_vector<TypeParam>(long_line, 6);
    const CgOptions options{.rtol = 0, .max_iterations = 1000000, .monitor = AskAt{5}};
    HostVector<TypeParam> x(long_line, TypeParam{0});
    const SolveResult graph = this->by_graph()(a, {}, b, x, options);
    EXPECT_EQ(graph.reason, StopReason::interrupted);
    EXPECT_EQ(graph.iterations, 5);
}

/// Where one kernel is the whole loop, kernels are timed after the run, and what is told of it is as it was.
TYPED_TEST(CudaCgRuns, TimingKernelsChangesNothing) {
    using T = TypeParam;
    const HostCsr<T> a = poisson2d<T>(this->maker, 90, 70);
    const HostVector<T> b = random_vector<T>(a.n_rows, 6);
    const auto check = [&](auto&& solve, std::size_t n_kernels) {
        HostVector<T> timed(a.n_rows, T{0}), untimed(a.n_rows, T{0});
        const SolveResult result = solve(a, HostVector<T>(), b, timed, {.max_iterations = 20, .history = true});
        EXPECT_EQ(result.reason, StopReason::max_iterations);
        EXPECT_EQ(result.iterations, 20);
        EXPECT_EQ(result.history.size(), 21);
        ASSERT_EQ(result.kernels.size(), n_kernels);
        for (const KernelTime& kernel : result.kernels) {
            EXPECT_EQ(kernel.calls, 1) << kernel.name;
            EXPECT_GT(kernel.seconds, 0) << kernel.name;
        }
        // Kernels of a run that is followed by another are not timed.
        const auto is_followed = [] { return true; };
        const SolveResult followed =
            solve(a, HostVector<T>(), b, untimed,
                  {.rtol = 0, .monitor = AskAt{20}, .pauses = {20}, .is_followed = is_followed});
        EXPECT_EQ(followed.reason, StopReason::interrupted);
        EXPECT_EQ(followed.iterations, 20);
        EXPECT_EQ(followed.relative_residual, result.recurrence_residual);
        for (const KernelTime& kernel : followed.kernels) EXPECT_EQ(kernel.calls, 0) << kernel.name;
        EXPECT_TRUE(std::equal(timed.begin(), timed.end(), untimed.begin(), untimed.end()));
    };
    check(this->resident(), 3);
    check(this->streamed(), 3);
    check(this->partly_streamed(0.6), 3);
    check(this->factored(), 5);
    check(this->of_one_matrix(), 5);
}

/// What was run before decides on no order in which a run takes its sums.
TYPED_TEST(CudaCgRuns, EqualRunsLeaveEqualBits) {
    using T = TypeParam;
    const HostCsr<T> a = poisson2d<T>(this->maker, 90, 70);
    const HostVector<T> b = random_vector<T>(a.n_rows, 6);
    const auto check = [&](auto&& solve) {
        HostVector<T> x[2];
        for (HostVector<T>& each : x) {
            each = HostVector<T>(a.n_rows, T{0});
            EXPECT_EQ(solve(a, HostVector<T>(), b, each, {.rtol = 1e-4}).reason, StopReason::converged);
            static_cast<void>(this->backend().next_sweep_descends());
        }
        EXPECT_TRUE(std::equal(x[0].begin(), x[0].end(), x[1].begin(), x[1].end()));
    };
    check(this->by_graph());
    check(this->resident());
    check(this->streamed());
    check(this->partly_streamed(1.5));
    check(this->factored());
    check(this->of_one_matrix());
}

/// However slow the host is, a run ends after the very iteration in which it was to wait, with the same bits each time;
/// and one that goes on from there has lost nothing. A kernel that is the whole loop hears a swift host while it waits,
/// and leaves for a slow one.
TYPED_TEST(CudaCgRuns, WaitsAtItsPauses) {
    using T = TypeParam;
    const HostCsr<T> a = poisson1d<T>(this->maker, long_line);
    const HostVector<T> b = random_vector<T>(long_line, 6);
    const auto check = [&](auto&& solve, const std::vector<Size>& pauses) {
        for (const Size asked : pauses) {
            CgOptions options{.rtol = 0, .max_iterations = 50, .history = true};
            HostVector<T> whole(long_line, T{0});
            const SolveResult unasked = solve(a, HostVector<T>(), b, whole, options);
            options.pauses = pauses;
            HostVector<T> x[3];
            for (int k = 0; k < 3; ++k) {
                HostVector<T>& each = x[k];
                each = HostVector<T>(long_line, T{0});
                options.monitor = [&, heard = Size{0}](const CgProgress& progress) mutable {
                    if (progress.iteration == asked) heard = asked;
                    if (k > 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
                    return heard == 0;
                };
                const SolveResult result = solve(a, HostVector<T>(), b, each, options);
                EXPECT_EQ(result.reason, StopReason::interrupted);
                ASSERT_EQ(result.iterations, asked);
                ASSERT_EQ(static_cast<Size>(result.history.size()), asked + 1);
                for (Size i = 0; i <= asked; ++i) {
                    const auto place = static_cast<std::size_t>(i);
                    EXPECT_NEAR(result.history[place], unasked.history[place], 1e-3 * unasked.history[place]) << i;
                }
            }
            for (int k = 1; k < 3; ++k) {
                EXPECT_TRUE(std::equal(x[0].begin(), x[0].end(), x[k].begin(), x[k].end())) << asked;
            }
            options.monitor = {};
            HostVector<T> paused(long_line, T{0});
            const SolveResult went_on = solve(a, HostVector<T>(), b, paused, options);
            EXPECT_EQ(went_on.iterations, 50);
            EXPECT_NEAR(went_on.relative_residual, unasked.relative_residual, 1e-3 * unasked.relative_residual);
        }
    };
    // One by one, and in a loop that some run before because it goes round in tens.
    for (const std::vector<Size>& pauses : {std::vector<Size>{2, 5, 10, 30, 37}, {48}}) {
        check(this->by_graph(), pauses);
        check(this->resident(), pauses);
        check(this->streamed(), pauses);
        check(this->partly_streamed(2.4), pauses);
        check(this->factored(), pauses);
        check(this->of_one_matrix(), pauses);
    }
}

/// Whoever asks later is heard at the latest when the window of the ring is used up, as the loop pauses there until the
/// host has seen all: however slow host and device are to hear of each other.
TYPED_TEST(CudaCgRuns, NoLoopOutrunsItsWindow) {
    const HostCsr<TypeParam> a = poisson1d<TypeParam>(this->maker, long_line);
    const HostVector<TypeParam> b = random_vector<TypeParam>(long_line, 6);
    const CgOptions options{.rtol = 0, .max_iterations = 1000000, .monitor = AskAt{25}};
    const auto check = [&](auto&& solve) {
        HostVector<TypeParam> x(long_line, TypeParam{0});
        const SolveResult result = solve(a, HostVector<TypeParam>(), b, x, options);
        EXPECT_EQ(result.reason, StopReason::interrupted);
        EXPECT_GE(result.iterations, 25);
        EXPECT_LE(result.iterations, 25 + loop_ring);
        EXPECT_TRUE(within(result.relative_residual, true_relative_residual(a, b, x), true_residual_bound(a, b, x)));
    };
    check(this->by_graph());
    check(this->resident());
    check(this->streamed());
    check(this->partly_streamed(0.6));
    check(this->factored());
    check(this->of_one_matrix());
}

TYPED_TEST(CudaCgRuns, IterationsThatOnlyTimeKernelsAreToldApart) {
    const HostCsr<TypeParam> a = poisson2d<TypeParam>(this->maker, 20, 20);
    const HostVector<TypeParam> b = random_vector<TypeParam>(a.n_rows, 6);
    const auto solved = [&](auto&& solve) {
        HostVector<TypeParam> x(a.n_rows, TypeParam{0});
        return solve(a, HostVector<TypeParam>(), b, x, CgOptions{.rtol = 1e-4});
    };
    const SolveResult by_resident = solved(this->resident()), by_graph = solved(this->by_graph());
    EXPECT_GT(by_resident.sampling_seconds, 0);
    EXPECT_GT(by_resident.kernels.front().calls, 0);
    EXPECT_EQ(by_graph.sampling_seconds, 0) << "its first iterations are timed as they go";
    EXPECT_GT(by_graph.kernels.front().calls, 0);
}

/// Also where it pauses, and some of its iterations run one by one.
TYPED_TEST(CudaCgRuns, LargeSystemsHaveTheSameBitsEveryTime) {
    const HostCsr<TypeParam> a = poisson2d<TypeParam>(this->maker, 900, 900);
    const HostVector<TypeParam> b = random_vector<TypeParam>(a.n_rows, 6);
    const auto check = [&](auto&& solve) {
        const auto solved = [&](const std::vector<Size>& pauses) {
            HostVector<TypeParam> x(a.n_rows, TypeParam{0});
            const CgOptions options{.rtol = 0, .max_iterations = 57, .pauses = pauses};
            EXPECT_EQ(solve(a, HostVector<TypeParam>(), b, x, options).iterations, 57);
            return x;
        };
        const HostVector<TypeParam> once = solved({}), with_pauses = solved({11, 32});
        for (int run = 0; run < 3; ++run) {
            const HostVector<TypeParam> again = solved({}), again_with_pauses = solved({11, 32});
            for (Index i = 0; i < a.n_rows; ++i) {
                ASSERT_EQ(again[i], once[i]) << i << " in run " << run;
                ASSERT_EQ(again_with_pauses[i], with_pauses[i]) << i << " in run " << run;
            }
        }
    };
    check(this->by_graph());
    check(this->streamed());
    check(this->partly_streamed(1.5));
}

TYPED_TEST(CudaCgRuns, EndsWhenTheTimeIsUp) {
    const HostCsr<TypeParam> a = poisson1d<TypeParam>(this->maker, long_line);
    const HostVector<TypeParam> b = random_vector<TypeParam>(long_line, 6);
    constexpr double limit = 0.01;
    const auto check = [&](auto&& solve) {
        HostVector<TypeParam> x(long_line, TypeParam{0});
        SlowAt slow(7, limit);
        const SolveResult result =
            solve(a, HostVector<TypeParam>(), b, x,
                  CgOptions{.rtol = 0, .max_iterations = 1000000, .monitor = std::ref(slow), .time_limit = limit});
        EXPECT_EQ(result.reason, StopReason::time_limit);
        EXPECT_GE(result.seconds, limit);
        EXPECT_LE(result.iterations, 7 + loop_ring);
        EXPECT_EQ(slow.last(), result.iterations);
        EXPECT_TRUE(within(result.relative_residual, true_relative_residual(a, b, x), true_residual_bound(a, b, x)));
        HostVector<TypeParam> y(long_line, TypeParam{0});
        const SolveResult none = solve(a, HostVector<TypeParam>(), b, y, CgOptions{.time_limit = 0});
        EXPECT_EQ(none.reason, StopReason::time_limit);
        EXPECT_EQ(none.iterations, 0);
    };
    check(this->by_graph());
    check(this->resident());
    check(this->streamed());
    check(this->partly_streamed(2.4));
    check(this->factored());
    check(this->of_one_matrix());
}

}  // namespace
}  // namespace stiefel::test
