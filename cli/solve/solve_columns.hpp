#pragma once

#include "stiefel/cli/interrupt.hpp"
#include "stiefel/cli/report/solve_report.hpp"
#include "stiefel/cli/solve/solve_options.hpp"
#include "stiefel/cli/terminal/progress_bar.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/dense/transpose.hpp"
#include "stiefel/solver/block_cg.hpp"

#include <algorithm>
#include <utility>

namespace stiefel::cli {

/// Right-hand sides and solutions in host memory, column after column, as array files hold them.
template <class T>
struct HostColumns {
    Size n = 0;
    Index k = 0;
    HostVector<T> b;
    HostVector<T> x;  ///< guesses on entry
};

/// Columns first .. first + count - 1 of n rows each.
template <class T>
HostVector<T> slice(const HostVector<T>& columns, Size n, Index first, Index count) {
    HostVector<T> part(n * count);
    std::copy_n(columns.data() + n * first, part.size(), part.data());
    return part;
}

/// Takes a kernel's times into those of earlier solves.
inline void add_kernels(const std::vector<KernelTime>& from, std::vector<KernelTime>& to) {
    for (const KernelTime& kernel : from) {
        const auto same = std::find_if(to.begin(), to.end(), [&](const auto& k) { return k.name == kernel.name; });
        if (same == to.end()) {
            to.push_back(kernel);
        } else {
            same->calls += kernel.calls;
            same->seconds += kernel.seconds;
        }
    }
}

/// What a solve adds to the sum of all: iterations and times add up, of residuals the largest stays.
template <class Result>
void add_result(const Result& result, SolveReport& report) {
    SolveResult& sum = report.result;
    sum.iterations += result.iterations;
    sum.restarts += result.restarts;
    sum.seconds += result.seconds;
    add_kernels(result.kernels, sum.kernels);
    sum.history.insert(sum.history.end(), result.history.begin(), result.history.end());
}

inline void add_column(const ColumnResult& column, SolveReport& report) {
    SolveResult& sum = report.result;
    sum.relative_residual = std::max(sum.relative_residual, column.relative_residual);
    sum.recurrence_residual = std::max(sum.recurrence_residual, column.recurrence_residual);
    sum.rhs_norm = std::max(sum.rhs_norm, column.rhs_norm);
    if (report.columns.empty() || column.reason != StopReason::converged) sum.reason = column.reason;
    report.columns.push_back(column);
}

/// Options of one solve that show its progress, and end with Ctrl-C.
inline CgOptions watched(const SolveOptions& options, const SolveReport& report, ProgressBar& bar) {
    return {.rtol = options.rtol,
            .atol = options.atol,
            .max_iterations = report.method.max_iterations,
            .history = options.wants_history(),
            .monitor = [&bar](const CgProgress& progress) {
                bar.update(progress.iteration, progress.relative_residual);
                return !InterruptGuard::requested();
            }};
}

/// Moves data between host and backend, and takes the time that it needs where these are two.
template <class B, class F>
void move_data(B& backend, double& seconds, F&& f) {
    const Stopwatch watch;
    f();
    if constexpr (!HostBackend<B>) {
        backend.synchronize();
        seconds += watch.seconds();
    }
}

/// One column after another, until Ctrl-C: what is left then keeps its guess and counts as interrupted.
template <class T, class B, class A, class M>
void solve_one_by_one(B& backend, const A& a, const M& m, HostColumns<T>& system, const SolveOptions& options,
                      SolveReport& report, StatusLine& status) {
    const InterruptGuard guard;
    for (Index j = 0; j < system.k; ++j) {
        if (InterruptGuard::requested()) {
            add_column({.reason = StopReason::interrupted, .relative_residual = 1}, report);
            continue;
        }
        auto b = make_vector<T>(backend, system.n);
        auto x = make_vector<T>(backend, system.n);
        move_data(backend, report.seconds.upload, [&] {
            upload(backend, slice(system.b, system.n, j, 1), b);
            upload(backend, slice(system.x, system.n, j, 1), x);
        });
        ProgressBar bar(status, options.rtol, report.method.max_iterations);
        const SolveResult result = cg<B, T, A, M>(backend, a, m, b, x, watched(options, report, bar));
        HostVector<T> solution(system.n);
        move_data(backend, report.seconds.download, [&] { download(backend, x, solution); });
        std::copy_n(solution.data(), system.n, system.x.data() + system.n * j);
        add_result(result, report);
        add_column({.reason = result.reason,
                    .iterations = result.iterations,
                    .relative_residual = result.relative_residual,
                    .recurrence_residual = result.recurrence_residual,
                    .rhs_norm = result.rhs_norm},
                   report);
    }
}

/// Columns of the host as a panel of the backend: as they lie they are its transpose.
template <class T, class B>
MultivectorOf<B, T> panel_of(B& backend, const HostColumns<T>& system, const HostVector<T>& columns, Index first,
                             Index count, SolveReport& report) {
    auto transposed = make_vector<T>(backend, system.n * count);
    move_data(backend, report.seconds.upload,
              [&] { upload(backend, slice(columns, system.n, first, count), transposed); });
    const auto n = static_cast<Index>(system.n);
    auto panel = make_multivector<T>(backend, n, count);
    transpose<T>(backend, as_matrix(std::as_const(transposed), count, n), panel.view());
    return panel;
}

/// Blocks of at most options.block columns.
template <class T, class B, class A, class M>
void solve_in_blocks(B& backend, const A& a, const M& m, HostColumns<T>& system, const SolveOptions& options,
                     SolveReport& report, StatusLine& status) {
    const InterruptGuard guard;
    const auto n = static_cast<Index>(system.n);
    for (Index first = 0; first < system.k; first += static_cast<Index>(options.block)) {
        const Index count = std::min(static_cast<Index>(options.block), system.k - first);
        const auto b = panel_of(backend, system, system.b, first, count, report);
        auto x = panel_of(backend, system, system.x, first, count, report);
        ProgressBar bar(status, options.rtol, report.method.max_iterations);
        const BlockSolveResult result = block_cg(backend, a, m, b, x, watched(options, report, bar));
        auto transposed = make_vector<T>(backend, system.n * count);
        transpose<T>(backend, std::as_const(x).view(), as_matrix(transposed, count, n));
        HostVector<T> solution(transposed.size());
        move_data(backend, report.seconds.download, [&] { download(backend, transposed, solution); });
        std::copy_n(solution.data(), solution.size(), system.x.data() + system.n * first);
        add_result(result, report);
        for (const ColumnResult& column : result.columns) add_column(column, report);
    }
}

/// In both ways, from the same guesses; x and the report are those of the blocks.
template <class T, class B, class A, class M>
void solve_in_both_ways(B& backend, const A& a, const M& m, HostColumns<T>& system, const SolveOptions& options,
                        SolveReport& report, StatusLine& status) {
    HostColumns<T> again{.n = system.n, .k = system.k, .b = system.b.clone(), .x = system.x.clone()};
    solve_in_blocks(backend, a, m, system, options, report, status);
    SolveReport other{.method = report.method};
    solve_one_by_one(backend, a, m, again, options, other, status);
    report.one_by_one = {.iterations = other.result.iterations,
                         .relative_residual = other.result.relative_residual,
                         .seconds = other.result.seconds};
}

/// Columns of the panels that the matrix will be multiplied with.
inline Index columns_at_once(const SolveOptions& options, Index k) {
    return options.solver == SolverWord::cg ? 1 : std::min(static_cast<Index>(options.block), k);
}

/// Solves in the way that the options ask for.
template <class T, class B, class A, class M>
void solve_columns(B& backend, const A& a, const M& m, HostColumns<T>& system, const SolveOptions& options,
                   SolveReport& report, StatusLine& status) {
    switch (options.solver) {
        case SolverWord::cg:
            return solve_one_by_one(backend, a, m, system, options, report, status);
        case SolverWord::block_cg:
            return solve_in_blocks(backend, a, m, system, options, report, status);
        case SolverWord::both:
            return solve_in_both_ways(backend, a, m, system, options, report, status);
    }
}

}  // namespace stiefel::cli
