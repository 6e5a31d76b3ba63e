// Columns of a system when something happens on the way, which from outside of the program could not be made to.

#include "stiefel/cli/operator_input.hpp"
#include "stiefel/cli/solve/solve_system_impl.hpp"
#include "stiefel/solver/eigen_result.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <csignal>
#include <functional>
#include <limits>
#include <new>
#include <string_view>
#include <variant>
#include <vector>

namespace stiefel::cli {

/// The diagonal matrix 1, 2, ..., n that calls on_product() whenever it multiplies.
struct WatchedDiagonal {
    std::function<void()> on_product;
};

Work spmv_work(const WatchedDiagonal&) {
    return {};
}

Work spmm_work(const WatchedDiagonal&, Index) {
    return {};
}

void spmv(Serial&, const WatchedDiagonal& a, const HostVector<double>& x, HostVector<double>& y, double alpha,
          double beta) {
    a.on_product();
    for (Size i = 0; i < x.size(); ++i) {
        y[i] = alpha * static_cast<double>(i + 1) * x[i] + (beta == 0 ? 0 : beta * y[i]);
    }
}

void spmm(Serial&, const WatchedDiagonal& a, HostMatrix<const double> x, HostMatrix<double> y, double alpha,
          double beta) {
    a.on_product();
    for (Size i = 0; i < x.n_rows; ++i) {
        for (Size j = 0; j < x.n_cols; ++j) {
            double& out = y.data[i * y.ld + j];
            out = alpha * static_cast<double>(i + 1) * x.data[i * x.ld + j] + (beta == 0 ? 0 : beta * out);
        }
    }
}

/// One preconditioner for good; or Jacobi's that gives way, once, after so many iterations, to none.
struct ScriptedPreconditioning {
    Size gives_way_after = -1;
    std::variant<Identity, Jacobi<double, HostMemory>> m{};
    std::string_view name_now = "first";
    std::vector<double> targets = {};
    std::function<void()> on_change = {};
    bool is_asked = false;

    std::string_view name() const { return name_now; }
    std::string_view next_name() const { return "second"; }
    const auto& now() const { return m; }
    void begin(double target, Size) { targets.push_back(target); }
    std::vector<Size> pauses() const { return {}; }
    bool gives_way(Size iteration, double) {
        is_asked = name_now == "first" && iteration == gives_way_after;
        return is_asked;
    }
    bool is_giving_way() const { return is_asked; }
    bool changes(StopReason reason, Evidence) {
        if (name_now != "first" || reason != StopReason::interrupted || gives_way_after < 0) return false;
        name_now = "second";
        is_asked = false;
        if (on_change) on_change();
        return true;
    }
};

namespace {

class SolveColumns : public ::testing::Test {
protected:
    static constexpr Size n = 6;
    static constexpr Index k = 3;

    SolveColumns() {
        report.method.max_iterations = 100;
        for (Size i = 0; i < n * k; ++i) {
            system.b[i] = std::sin(1.0 + static_cast<double>(i));
            system.guess[i] = 7;
        }
    }

    /// Solves; on_product is told how many of the columns have been done.
    void solve(SolverWord way, std::function<void(std::size_t n_done)> on_product) {
        options.solver = way;
        options.block = 1;
        const WatchedDiagonal a{[&] { on_product(report.columns.size()); }};
        Serial backend;
        StatusLine status(true);
        solve_columns<double>(backend, a, preconditioning, system, x, options, report, status);
    }

    /// The first columns are solved, the others keep their guess and say only why.
    void expect_solved(Size n_solved, StopReason otherwise) {
        ASSERT_EQ(report.columns.size(), static_cast<std::size_t>(k));
        EXPECT_EQ(report.n_begun(), n_solved);
        for (Size j = 0; j < k; ++j) {
            const SolveReport::Column& column = report.columns[static_cast<std::size_t>(j)];
            EXPECT_EQ(column.reason, j < n_solved ? StopReason::converged : otherwise);
            EXPECT_EQ(column.relative_residual.has_value(), j < n_solved);
            for (Size i = 0; i < n; ++i) {
                const double expected = j < n_solved ? system.b[j * n + i] / static_cast<double>(i + 1) : 7;
                EXPECT_NEAR(x[j * n + i], expected, 1e-7) << i << " " << j;
            }
        }
    }

    HostColumns<double> system{.n = n, .k = k, .b = HostVector<double>(n * k), .guess = HostVector<double>(n * k)};
    HostVector<double> x = HostVector<double>(n * k);
    SolveOptions options;
    /// As before the first run.
    void forget_runs() {
        const SolveReport::Method method = report.method;
        report = {};
        report.method = method;
    }

    SolveReport report;
    ScriptedPreconditioning preconditioning;
};

constexpr std::array ways{SolverWord::cg, SolverWord::block_cg};

TEST_F(SolveColumns, WhatFailsKeepsTheColumnsBefore) {
    for (const SolverWord way : ways) {
        forget_runs();
        solve(way, [](std::size_t n_done) {
            if (n_done == 1) throw OutOfMemory("a vector", 1000, 10);
        });
        expect_solved(1, StopReason::running);
        ASSERT_TRUE(report.fault.has_value());
        EXPECT_EQ(final_exit_code(report, report.result.reason), ExitCode::no_resources);
        EXPECT_TRUE(outcome(report).starts_with("the solve failed: ")) << outcome(report);
        EXPECT_TRUE(report.result.relative_residual <= 1e-8) << "the largest of those begun";
        EXPECT_NE(solution_comment(report).find("1 of 3 columns were begun"), std::string::npos);
    }
}

TEST_F(SolveColumns, WhatFailsAtOnceHasNoFigures) {
    solve(SolverWord::cg, [](std::size_t) { throw std::bad_alloc(); });
    expect_solved(0, StopReason::running);
    EXPECT_EQ(report.fault->message, "out of memory");
    EXPECT_TRUE(std::isnan(report.result.relative_residual));
    EXPECT_TRUE(std::isnan(report.result.rhs_norm));
}

TEST_F(SolveColumns, AnInterruptLeavesTheColumnsBehindIt) {
    for (const SolverWord way : ways) {
        forget_runs();
        const InterruptGuard guard;
        InterruptGuard::protect();
        bool sent = false;
        solve(way, [&](std::size_t n_done) {
            if (n_done == 1 && !sent) sent = std::raise(SIGTERM) == 0;
        });
        ASSERT_TRUE(sent);
        EXPECT_EQ(report.columns[0].reason, StopReason::converged);
        EXPECT_EQ(report.columns[1].reason, StopReason::interrupted);
        EXPECT_TRUE(report.columns[1].is_begun());
        EXPECT_EQ(report.columns[2].reason, StopReason::interrupted);
        EXPECT_FALSE(report.columns[2].is_begun());
        EXPECT_EQ(report.result.reason, StopReason::interrupted);
    }
}

TEST_F(SolveColumns, BothWaysAreComparedOnlyWhereBothEndedByThemselves) {
    solve(SolverWord::both, [](std::size_t) {});
    expect_solved(3, StopReason::converged);
    ASSERT_TRUE(report.one_by_one.has_value());
    EXPECT_TRUE(report.one_by_one->relative_residual <= 1e-8);

    for (const bool throws : {false, true}) {
        forget_runs();
        const InterruptGuard guard;
        InterruptGuard::protect();
        solve(SolverWord::both, [&](std::size_t n_done) {
            if (n_done < 3) return;  // now one after another
            if (throws) throw OutOfMemory("a vector", 1000, 10);
            std::raise(SIGUSR1);
        });
        expect_solved(3, StopReason::converged);
        EXPECT_FALSE(report.one_by_one.has_value());
        EXPECT_EQ(final_exit_code(report, report.result.reason), ExitCode::done) << "x is that of the blocks";
        ASSERT_EQ(report.notes.size(), 1u);
        EXPECT_NE(report.notes[0].find("not compared"), std::string::npos) << report.notes[0];
    }
}

/// Another preconditioner goes on from the x of the first; counts, history and limits are of both together.
TEST_F(SolveColumns, AChangeOfPreconditionerGoesOn) {
    for (const SolverWord way : ways) {
        forget_runs();
        options.history = "h.csv";
        preconditioning = {.gives_way_after = 2};
        solve(way, [](std::size_t) {});
        expect_solved(3, StopReason::converged);
        ASSERT_EQ(report.runs.size(), 2u);
        EXPECT_EQ(report.runs[0].preconditioner, "first");
        EXPECT_EQ(report.runs[0].iterations, 2);
        EXPECT_EQ(report.runs[1].preconditioner, "second");
        EXPECT_EQ(report.runs[0].iterations + report.runs[1].iterations, report.result.iterations);
        EXPECT_EQ(report.columns[0].iterations + report.columns[1].iterations + report.columns[2].iterations,
                  report.result.iterations);
        EXPECT_EQ(report.result.history.size(), static_cast<std::size_t>(report.result.iterations) + 3)
            << "each column begins once";
        const double log_all = report.runs[0].log_reduction + report.runs[1].log_reduction;
        EXPECT_GT(log_all, 3 * std::log(1e8)) << "the guess was no good";

        forget_runs();
        report.method.max_iterations = 3;
        preconditioning = {.gives_way_after = 2};
        solve(way, [](std::size_t) {});
        EXPECT_EQ(report.columns[0].iterations, 3);
        EXPECT_EQ(report.columns[0].reason, StopReason::max_iterations);
        report.method.max_iterations = 100;
    }
}

/// Who asks for the end while the next preconditioner is made ready is told what x is worth.
TEST_F(SolveColumns, AnEndAskedForDuringAChangeLeavesATrueResidual) {
    options.solver = SolverWord::cg;
    bool has_come = false;
    const InterruptSource signal([&] { return has_come; });
    preconditioning = {.gives_way_after = 2, .on_change = [&] { has_come = true; }};
    solve(SolverWord::cg, [](std::size_t) {});
    ASSERT_EQ(report.columns.size(), static_cast<std::size_t>(k));
    EXPECT_EQ(report.columns[0].reason, StopReason::interrupted);
    EXPECT_EQ(report.columns[0].iterations, 2);
    long double squares = 0, of_b = 0;
    for (Size i = 0; i < n; ++i) {
        const long double r = system.b[i] - static_cast<long double>(i + 1) * x[i];
        squares += r * r;
        of_b += static_cast<long double>(system.b[i]) * system.b[i];
    }
    const auto actual = static_cast<double>(std::sqrt(squares / of_b));
    EXPECT_TRUE(std::abs(report.columns[0].relative_residual.value() - actual) <= 1e-12 * actual);
    EXPECT_GT(actual, 1e-8);
}

TEST(ColumnResults, WhatAKernelMovedIsTheMeanOfItsCalls) {
    const auto run = [](Size calls, double bytes) {
        SolveResult result;
        result.kernels = {{.name = "cg_direction", .calls = calls, .seconds = 1, .work = {.bytes = bytes, .flops = 1}}};
        return result;
    };
    SolveReport report;
    begin_run("jacobi", report);
    add_run(run(30, 5), false, report);
    begin_run("amg", report);
    add_run(run(10, 1), true, report);
    ASSERT_EQ(report.result.kernels.size(), 1u);
    EXPECT_EQ(report.result.kernels[0].calls, 40);
    EXPECT_DOUBLE_EQ(report.result.kernels[0].work.bytes, 4);
}

TEST(ColumnResults, TheLargestKeepsANaN) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const auto& residuals : {std::array{nan, 1.0}, std::array{1.0, nan}}) {
        SolveReport report;
        for (const double residual : residuals)
            add_columns(SolveResult{.reason = StopReason::not_finite, .relative_residual = residual}, 0, report);
        end_columns(2, StopReason::running, report);
        EXPECT_TRUE(std::isnan(report.result.relative_residual));
        EXPECT_EQ(report.result.recurrence_residual, 0);
        const EigenResult pairs{.pairs = {{.residual = residuals[0]}, {.residual = residuals[1]}}};
        EXPECT_TRUE(std::isnan(pairs.worst_residual()));
        EXPECT_TRUE(std::isnan(max_error_against_ones(HostVector<double>{residuals[0], residuals[1]})));
    }
}

/// A backend whose machine cannot measure.
struct Unmeasurable {};
bool fits_in_cache(const Unmeasurable&, Size) {
    return false;
}
double measured_bandwidth(const Unmeasurable&, Size) {
    throw OutOfMemory("the probe", 1000, 10);
}
template <class T>
double measured_peak(const Unmeasurable&) {
    return 0;
}

TEST(RatesOfMachine, ThatCannotBeMeasuredIsANote) {
    SolveReport report;
    report.result.iterations = 1;
    try_rates_of_machine<double>(Unmeasurable{}, OutputWords{}, report);
    EXPECT_FALSE(report.read_bandwidth.has_value());
    ASSERT_EQ(report.notes.size(), 1u);
    EXPECT_NE(report.notes[0].find("the probe"), std::string::npos) << report.notes[0];
}

/// A backend whose caches hold any matrix.
struct AllInCache {};
bool fits_in_cache(const AllInCache&, Size) {
    return true;
}
double measured_bandwidth(const AllInCache&, Size bytes) {
    return static_cast<double>(bytes);
}
template <class T>
double measured_peak(const AllInCache&) {
    return 1e9;
}

TEST(RatesOfMachine, OfCachesAndOperationsAreForPagesAlone) {
    SolveReport report;
    report.result.iterations = 1;
    report.matrix.bytes = Size{10} << 20;
    try_rates_of_machine<double>(AllInCache{}, OutputWords{}, report);
    EXPECT_FALSE(report.read_bandwidth || report.cache_bandwidth || report.peak_flops);
    OutputWords page;
    page.report = "r.html";
    try_rates_of_machine<double>(AllInCache{}, page, report);
    EXPECT_FALSE(report.read_bandwidth);
    EXPECT_EQ(report.cache_bandwidth, static_cast<double>(Size{5} << 20)) << "half, as twice as much is read";
    EXPECT_EQ(report.peak_flops, 1e9);
}

}  // namespace
}  // namespace stiefel::cli
