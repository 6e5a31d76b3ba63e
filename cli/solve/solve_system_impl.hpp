#pragma once

#include "stiefel/cli/interrupt.hpp"
#include "stiefel/cli/machine.hpp"
#include "stiefel/cli/operator_input.hpp"
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

inline void append_reason(const std::string& more, std::string& reason) {
    if (!reason.empty() && !more.empty()) reason += "; ";
    reason += more;
}

/// Throws UsageError where the backend has not got the smoother.
template <class B>
void check_smoother(const AmgWords& words) {
    std::string names;
    for (const auto& entry : amg::smoothers<B, float>) {
        if (entry.name == words.smoother) return;
        names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
    }
    throw UsageError(fmt::format("--amg-smoother {}: it runs on the host only; give --backend openmp, or one of {}",
                                 words.smoother, names));
}

/// From the system to x on the host.
template <class T, class B>
HostVector<T> solve_on(B& backend, SystemInput<T, typename B::memory> system, const SolveOptions& options,
                       SolveReport& report, StatusLine& status) {
    Stopwatch watch;
    const Index n = system.a.n_rows;
    const bool is_automatic = options.preconditioner == PreconditionerWord::automatic;
    const StrongOnes strong = is_automatic ? strong_ones<B>(n, system.a.nnz()) : StrongOnes{};
    auto entries = std::make_shared<Csr<T, typename B::memory>>(std::move(system.a));
    check_smoother<B>(options.amg);
    Preconditioning<B, T> preconditioning(backend, report.method.preconditioner, entries, strong,
                                          {.amg = amg_setup(options.amg, system.coordinates, n),
                                           .block_jacobi = options.block_jacobi,
                                           .fsai = options.fsai,
                                           .ic = options.ic,
                                           .ssor = options.ssor});
    report.seconds.setup += watch.restart();

    status.show("choosing format and kernel");
    const Index width = columns_at_once(options, system.n_columns);
    auto csr = strong.any() ? shared_csr(backend, entries) : std::move(*entries);
    entries.reset();
    const auto a = chosen_operator<T>(backend, std::move(csr), system.rows, width, options, report);
    report.seconds.convert += watch.restart();
    preconditioning.bind(a, width);
    HostColumns<T> columns{.n = n,
                           .k = system.n_columns,
                           .b = std::move(system.b),
                           .guess = std::move(system.guess),
                           .matrix_norm = system.norm};
    if (columns.b.empty()) {
        columns.b = HostVector<T>(n);
        download(backend, consistent_rhs<T>(backend, a, n), columns.b);
    }
    HostVector<T> x(n * columns.k);
    report.seconds.setup += watch.seconds();
    status.clear();

    InterruptGuard::protect();
    solve_columns(backend, a, preconditioning, columns, x, options, report, status);
    status.clear();
    report.seconds.solve = report.result.seconds;
    report.method.preconditioner = preconditioning.name();
    append_reason(preconditioning.reason(), report.method.preconditioner_reason);
    report.preconditioner = preconditioning.details();
    return x;
}

/// From norms of A and b divided by 2^exponent to those of A and b.
inline void scale_norms(int exponent, SolveReport& report) {
    report.result.rhs_norm = std::ldexp(report.result.rhs_norm, exponent);
    if (auto& accuracy = report.result.accuracy) accuracy->matrix_norm = std::ldexp(accuracy->matrix_norm, exponent);
    for (SolveReport::Column& column : report.columns) {
        if (column.rhs_norm) column.rhs_norm = std::ldexp(*column.rhs_norm, exponent);
    }
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
    try_read_bandwidth(backend, options, report);
    report.peak_memory_bytes = peak_memory_bytes();
}

template <class T>
SolveReport solve_system(const SolveOptions& options, StatusLine& status) {
    SolveReport report;
    report.method = asked_method(options);
    const bool is_automatic = options.preconditioner == PreconditionerWord::automatic;
    const bool has_kernels = options.preconditioner == PreconditionerWord::amg ||
                             options.preconditioner == PreconditionerWord::block_jacobi ||
                             options.preconditioner == PreconditionerWord::fsai;
    EarlyKernels kernels(backend_options(options), is_automatic || has_kernels);
    BackendStart start(backend_options(options), [](auto& device) { warm_up<T>(device); });
    OpenMP host(host_threads(options));
    SystemFiles<T> files = read_system<T>(host, options, report, status);
    if (is_automatic && files.matrix.n_rows < least_rows_of_fsai) kernels.call_off();
    const Stopwatch watch;
    start.with_backend([&]<class B>(B& backend) {
        if constexpr (!HostBackend<B>) report.seconds.start = watch.seconds();
        solve_with(backend, host, std::move(files), options, report, status);
    });
    return report;
}

}  // namespace stiefel::cli
