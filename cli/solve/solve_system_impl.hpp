#pragma once

#include "stiefel/cli/interrupt.hpp"
#include "stiefel/cli/machine.hpp"
#include "stiefel/cli/operator_input.hpp"
#include "stiefel/cli/solve/prepared_system.hpp"
#include "stiefel/cli/solve/solve_columns.hpp"
#include "stiefel/cli/solve/solve_steps.hpp"
#include "stiefel/cli/solve/solve_system.hpp"
#include "stiefel/cli/solve/system_input.hpp"
#include "stiefel/cli/solve/warm_up.hpp"
#include "stiefel/core/backend_start.hpp"
#include "stiefel/preconditioner/list.hpp"
#include "stiefel/solver/cg.hpp"

#include <fmt/format.h>

#include <cmath>

namespace stiefel::cli {

/// From the system to x on the host.
template <class T, class B>
HostVector<T> solve_on(B& backend, SystemInput<T, typename B::memory> system, const SolveOptions& options,
                       SolveReport& report, StatusLine& status) {
    const Index n = system.a.n_rows;
    HostColumns<T> columns{.n = n,
                           .k = system.n_columns,
                           .b = std::move(system.b),
                           .guess = std::move(system.guess),
                           .matrix_norm = system.norm,
                           .scale = std::move(system.scale),
                           .unscaled_norm = system.unscaled_norm};
    PreparedSystem<T, B> prepared(backend, std::move(system), options, report, status);
    if (columns.b.empty()) {
        const Stopwatch watch;
        columns.b = HostVector<T>(n);
        download(backend, consistent_rhs<T>(backend, prepared.a(), n, columns.scale), columns.b);
        report.seconds.setup += watch.seconds();
    }
    HostVector<T> x = prepared.solve(columns, options, report, status);
    if (!columns.scale.empty()) multiply_by(columns.scale, x);
    return x;
}

template <class T, class B>
void solve_with(B& backend, OpenMP& host, SystemFiles<T> files, const SolveOptions& options, SolveReport& report,
                StatusLine& status) {
    report.backend = described(backend, host);
    HostVector<T> x;
    {
        auto system = make_system(backend, host, std::move(files), options, report, status);
        report.method.preconditioner =
            word_of<PreconditionerWord>(system.preconditioner.word, preconditioner_choices());
        report.method.preconditioner_reason = system.preconditioner.reason;
        report.method.max_iterations =
            options.max_iterations >= 0 ? options.max_iterations : default_max_iterations(report.matrix.n_rows);
        const int exponent = system.exponent;
        const HostVector<Index> order = std::move(system.order);
        SolveOptions scaled = options;
        scaled.atol = std::ldexp(options.atol, -exponent);
        x = solve_on(backend, std::move(system), scaled, report, status);
        if (!order.empty()) x = permuted_back(x, order);
        scale_norms(exponent, report);
    }
    if (options.rhs == "consistent" && report.n_begun() > 0) report.error = max_error_against_ones(x);
    write_solution(x, options, report, status);
    try_rates_of_machine<T>(backend, options, report);
    report.peak_memory_bytes = peak_memory_bytes();
}

template <class T>
SolveReport solve_system(const SolveOptions& options, StatusLine& status) {
    SolveReport report;
    report.method = asked_method(options);
    const bool is_automatic = options.preconditioner == PreconditionerWord::automatic;
    const auto may_be = [&](PreconditionerWord word) { return is_automatic || options.preconditioner == word; };
    EarlyKernels kernels(backend_options(options),
                         {.fsai = may_be(PreconditionerWord::fsai), .multigrid = may_be(PreconditionerWord::amg)});
    BackendStart start(backend_options(options), [](auto& device) { warm_up<T>(device); });
    OpenMP host(host_threads(options));
    SystemFiles<T> files = read_system<T>(host, options, report, status);
    if (is_automatic) {  // the matrix has at least the entries that the file stores
        const StrongOnes strong = strong_ones(false, files.matrix.n_rows, files.matrix.n_stored);
        kernels.only({.fsai = strong.fsai, .multigrid = strong.amg});
    }
    const Stopwatch watch;
    start.with_backend([&]<class B>(B& backend) {
        if constexpr (!HostBackend<B>) report.seconds.start = watch.seconds();
        solve_with(backend, host, std::move(files), options, report, status);
    });
    return report;
}

}  // namespace stiefel::cli
