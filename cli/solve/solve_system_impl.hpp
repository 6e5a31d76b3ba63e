#pragma once

#include "stiefel/cli/interrupt.hpp"
#include "stiefel/cli/machine.hpp"
#include "stiefel/cli/operator_input.hpp"
#include "stiefel/cli/solve/solve_columns.hpp"
#include "stiefel/cli/solve/solve_system.hpp"
#include "stiefel/cli/solve/system_input.hpp"
#include "stiefel/cli/terminal/progress_bar.hpp"
#include "stiefel/core/backend.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/solver/cg.hpp"

#include <fmt/format.h>

#include <cmath>

namespace stiefel::cli {

/// The vector in the backend's memory; frees the one on the host.
template <class T, class B>
VectorOf<B, T> uploaded(B& backend, HostVector<T> host) {
    auto vector = make_vector<T>(backend, host.size());
    upload(backend, host, vector);
    if constexpr (!HostBackend<B>) backend.synchronize();
    return vector;
}

template <class T, class B>
VectorOf<B, T> filled(B& backend, Size n, T value) {
    auto vector = make_vector<T>(backend, n);
    fill(backend, value, vector);
    return vector;
}

/// A times ones.
template <class T, class B, class A>
VectorOf<B, T> consistent_rhs(B& backend, const A& a, Size n) {
    const auto ones = filled(backend, n, T{1});
    auto b = filled(backend, n, T{0});
    spmv(backend, a, ones, b, T{1}, T{0});
    return b;
}

/// Runs CG with the progress bar, and with Ctrl-C asking it to stop.
template <class T, class B, class A, class M>
SolveResult run_cg(B& backend, const A& a, const M& m, const VectorOf<B, T>& b, VectorOf<B, T>& x,
                   const SolveOptions& options, const SolveReport& report, StatusLine& status) {
    const double rhs_norm = norm(backend, b);
    const double target = rhs_norm > 0 ? std::max(options.rtol, options.atol / rhs_norm) : 0;
    ProgressBar bar(status, target, report.method.max_iterations);
    const InterruptGuard guard;
    return cg<B, T, A, M>(backend, a, m, b, x,
                          {.rtol = options.rtol,
                           .atol = options.atol,
                           .max_iterations = report.method.max_iterations,
                           .history = options.wants_history(),
                           .monitor = [&](const CgProgress& progress) {
                               bar.update(progress.iteration, progress.relative_residual);
                               return !InterruptGuard::requested();
                           }});
}

template <class B, class V>
HostVector<typename V::value_type> downloaded(B& backend, const V& vector) {
    HostVector<typename V::value_type> host(vector.size());
    download(backend, vector, host);
    return host;
}

/// From the system on the host to x on the host.
template <class T, class B>
HostVector<T> solve_on(B& backend, SystemInput<T> system, const SolveOptions& options, SolveReport& report,
                       StatusLine& status) {
    Stopwatch watch;
    const Size n = system.a.n_rows;
    const bool wants_jacobi = system.preconditioner.word == PreconditionerWord::jacobi;
    double& transfer = HostBackend<B> ? report.seconds.setup : report.seconds.upload;
    auto csr = to_backend(backend, std::move(system.a));
    transfer += watch.restart();
    const auto jacobi = wants_jacobi ? make_jacobi(backend, csr) : Jacobi<T, typename B::memory>{};
    report.seconds.setup += watch.restart();

    status.show("choosing format and kernel");
    const Index width = columns_at_once(options, system.n_columns);
    const auto a = chosen_operator<T>(backend, std::move(csr), system.rows, width, options, report);
    report.seconds.convert += watch.restart();
    if (options.solver != SolverWord::cg || system.n_columns > 1) {
        report.seconds.setup += watch.seconds();
        HostColumns<T> columns{.n = n, .k = system.n_columns, .b = std::move(system.b), .x = std::move(system.guess)};
        if (columns.b.empty()) columns.b = downloaded(backend, consistent_rhs<T>(backend, a, n));
        if (columns.x.empty()) columns.x = HostVector<T>(n * columns.k, T{0});
        const auto solve = [&](const auto& m) { solve_columns(backend, a, m, columns, options, report, status); };
        wants_jacobi ? solve(jacobi) : solve(Identity{});
        status.clear();
        report.seconds.solve = report.result.seconds;
        return std::move(columns.x);
    }
    double moving = 0;
    const auto brought = [&](HostVector<T>& host) {
        const Stopwatch one;
        auto vector = uploaded(backend, std::move(host));
        moving += one.seconds();
        return vector;
    };
    const auto b = system.b.empty() ? consistent_rhs<T>(backend, a, n) : brought(system.b);
    auto x = system.guess.empty() ? filled(backend, n, T{0}) : brought(system.guess);
    report.seconds.setup += watch.seconds() - moving;
    transfer += moving;

    status.clear();
    report.result = wants_jacobi ? run_cg<T>(backend, a, jacobi, b, x, options, report, status)
                                 : run_cg<T>(backend, a, Identity{}, b, x, options, report, status);
    status.clear();
    report.columns = {{.reason = report.result.reason,
                       .iterations = report.result.iterations,
                       .relative_residual = report.result.relative_residual,
                       .recurrence_residual = report.result.recurrence_residual,
                       .rhs_norm = report.result.rhs_norm}};
    report.seconds.solve = report.result.seconds;
    watch.restart();
    HostVector<T> solution = downloaded(backend, x);
    if constexpr (!HostBackend<B>) report.seconds.download = watch.seconds();
    return solution;
}

template <class T>
double max_error_against_ones(const HostVector<T>& x) {
    double error = 0;
    for (const T value : x) {
        const double difference = std::abs(static_cast<double>(value) - 1);
        if (!(difference <= error)) error = difference;  // keeps a NaN
    }
    return error;
}

template <class T>
void write_solution(const HostVector<T>& x, const SolveOptions& options, SolveReport& report, StatusLine& status) {
    if (options.solution.empty()) return;
    const Stopwatch watch;
    status.show(fmt::format("writing {}", options.solution));
    const std::string comment = fmt::format("x of A x = b, A: {}, b: {}; {}, |b - A x| / |b| = {:.3e}", options.matrix,
                                            options.rhs, outcome(report), report.result.relative_residual);
    try {
        write_array<T>(options.solution, report.matrix.n_rows, static_cast<Index>(report.columns.size()), x.span(),
                       {.threads = report.backend.threads, .comments = {comment}});
        report.solution_path = options.solution;
    } catch (const FileError& problem) {  // the report is still worth having
        report.failures.push_back(fmt::format("--output: {}", problem.what()));
    }
    report.seconds.write = watch.seconds();
    status.clear();
}

/// What is known of the method before anything is read.
inline SolveReport::Method asked_method(const SolveOptions& options) {
    return {.solver = std::string(word_of<SolverWord>(options.solver, solver_choices)),
            .precision = std::string(word_of<Precision>(options.precision, precision_choices)),
            .rhs = options.rhs,
            .guess = options.guess,
            .rtol = options.rtol,
            .atol = options.atol};
}

template <class T, class B>
void solve_with(B& backend, const SolveOptions& options, SolveReport& report, StatusLine& status) {
    report.backend = {.name = B::name, .threads = host_threads(backend, options), .device = device_name(backend)};
    HostVector<T> x;
    {
        OpenMP host(host_threads(backend, options));
        SystemInput<T> system = read_system<T>(host, options, report, status);
        report.method.preconditioner = word_of<PreconditionerWord>(system.preconditioner.word, preconditioner_choices);
        report.method.preconditioner_reason = system.preconditioner.reason;
        report.method.max_iterations =
            options.max_iterations >= 0 ? options.max_iterations : default_max_iterations(report.matrix.n_rows);
        x = solve_on(backend, std::move(system), options, report, status);
    }
    if (options.rhs == "consistent") report.error = max_error_against_ones(x);
    write_solution(x, options, report, status);
    measure_read_bandwidth(backend, report);
    report.peak_memory_bytes = peak_memory_bytes();
}

template <class T>
SolveReport solve_system(const SolveOptions& options, StatusLine& status) {
    SolveReport report{.method = asked_method(options)};
    with_backend(backend_options(options), [&](auto& backend) { solve_with<T>(backend, options, report, status); });
    return report;
}

}  // namespace stiefel::cli
