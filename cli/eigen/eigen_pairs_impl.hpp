#pragma once

#include "stiefel/analysis/diagonal_entries.hpp"
#include "stiefel/cli/eigen/eigen_pairs.hpp"
#include "stiefel/cli/file_words.hpp"
#include "stiefel/cli/interrupt.hpp"
#include "stiefel/cli/machine.hpp"
#include "stiefel/cli/matrix_input.hpp"
#include "stiefel/cli/operator_input.hpp"
#include "stiefel/cli/outputs.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/terminal/progress_bar.hpp"
#include "stiefel/core/backend_start.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/io/vector_files.hpp"
#include "stiefel/preconditioner/chebyshev.hpp"
#include "stiefel/solver/lobpcg.hpp"
#include "stiefel/solver/power_iteration.hpp"
#include "stiefel/spmv/row_statistics.hpp"

#include <fmt/format.h>

namespace stiefel::cli {

inline constexpr std::string_view eigen_needs = "'stiefel eigen' needs";

/// The preconditioner to take, and why if it is chosen here.
template <class Maker, class Matrix>
EigenPreconditioner choose_preconditioner(Maker& maker, const Matrix& a, const EigenCommandOptions& options,
                                          EigenReport::Method& method) {
    if (options.method != EigenMethod::lobpcg) return EigenPreconditioner::none;
    if (options.preconditioner != EigenPreconditioner::automatic) return options.preconditioner;
    constexpr double uneven = 2e5;  // from here on scaling by the diagonal beats a polynomial, over the real matrices
    const DiagonalEntries diagonal = diagonal_entries(maker, a);
    const bool positive = diagonal.missing.count + diagonal.zero.count + diagonal.negative.count == 0;
    if (options.which == EigenEnd::smallest && positive && diagonal.max_abs >= uneven * diagonal.min_abs) {
        method.preconditioner_reason =
            fmt::format("the diagonal varies by a factor of {}", format_residual(diagonal.max_abs / diagonal.min_abs));
        return EigenPreconditioner::jacobi;
    }
    if (options.degree == 0) return EigenPreconditioner::none;
    method.preconditioner_reason = options.which == EigenEnd::largest ? "the largest pairs are wanted"
                                   : positive                         ? "the diagonal is even"
                                                                      : "the diagonal is not positive";
    return EigenPreconditioner::chebyshev;
}

/// Runs the method that was asked for.
template <class T, class B, class A, class J>
EigenResult run_method(B& backend, const A& a, const J& jacobi, EigenPreconditioner preconditioner,
                       MultivectorOf<B, T>& x, const EigenCommandOptions& options, const EigenOptions& how) {
    if (options.method == EigenMethod::power) return power_iteration(backend, a, x, how);
    if (options.method == EigenMethod::subspace) return subspace_iteration(backend, a, x, how);
    if (preconditioner == EigenPreconditioner::jacobi) return lobpcg(backend, a, jacobi, x, how);
    // Small matrices are solved by a dense method, which has no use for bounds of the spectrum.
    if (preconditioner == EigenPreconditioner::chebyshev && x.n_rows() > whole_space_rows) {
        const Index block = block_columns(x.n_rows(), x.n_cols(), how);
        const auto m = make_chebyshev<B, T>(backend, a, x.n_rows(), block, how.which, static_cast<int>(options.degree));
        return lobpcg(backend, a, m, x, how);
    }
    return lobpcg(backend, a, x, how);
}

/// Searches with the progress bar, until a signal asks it to stop, and gives the vectors as they lie in the panel.
template <class T, class B, class A, class J>
HostVector<T> run_search(B& backend, const A& a, const J& jacobi, EigenPreconditioner preconditioner,
                         const EigenCommandOptions& options, EigenReport& report, StatusLine& status) {
    auto x = random_multivector<T>(backend, report.matrix.n_rows, static_cast<Index>(options.count),
                                   static_cast<std::uint64_t>(options.seed));
    HostVector<T> vectors(x.values().size());
    ProgressBar bar(status, options.rtol, report.method.max_iterations, options.time_limit);
    const EigenOptions how{.which = options.which,
                           .rtol = options.rtol,
                           .max_iterations = report.method.max_iterations,
                           .guard_vectors = static_cast<Index>(options.guards),
                           .filter_degree = static_cast<int>(options.degree),
                           .seed = static_cast<std::uint64_t>(options.seed),
                           .history = options.wants_history(),
                           .monitor =
                               [&](const EigenProgress& progress) {
                                   bar.update(progress.iteration, progress.relative_residual);
                                   return !InterruptGuard::requested();
                               },
                           .time_limit = options.time_limit};
    report.result = run_method<T>(backend, a, jacobi, preconditioner, x, options, how);
    report.seconds.solve = report.result.seconds;
    const Stopwatch watch;
    download(backend, x.values(), vectors);
    if constexpr (!HostBackend<B>) report.seconds.download = watch.seconds();
    return vectors;
}

/// From the matrix to vectors on the host, row by row. Whatever goes wrong in the search becomes the
/// report's fault, and there are no vectors.
template <class T, class B>
HostVector<T> eigenpairs_on(B& backend, Csr<T, typename B::memory> csr, const RowStatistics& rows,
                            EigenPreconditioner preconditioner, const EigenCommandOptions& options, EigenReport& report,
                            StatusLine& status) {
    Stopwatch watch;
    const auto k = static_cast<Index>(options.count);
    const auto jacobi = [&] {
        if (preconditioner != EigenPreconditioner::jacobi) return Jacobi<T, typename B::memory>{};
        try {
            return make_jacobi(backend, csr);
        } catch (const InvalidArgument& problem) {
            throw UsageError(fmt::format("--preconditioner jacobi: {}", problem.what()));
        }
    }();
    report.seconds.setup += watch.restart();
    status.show("choosing format and kernel");
    const Index block =
        options.method == EigenMethod::power
            ? k
            : block_columns(report.matrix.n_rows, k, {.guard_vectors = static_cast<Index>(options.guards)});
    report.method.guards = block - k;
    const Index columns = std::min(block, max_spmm_columns);
    const auto a = chosen_operator<T>(backend, std::move(csr), rows, columns, options, report);
    report.seconds.convert += watch.restart();
    status.clear();

    InterruptGuard::protect();
    HostVector<T> vectors;
    try {
        vectors = run_search<T>(backend, a, jacobi, preconditioner, options, report, status);
    } catch (const std::exception& problem) {
        report.result = {};
        report.fault = fault_of(problem);
    }
    status.clear();
    return vectors;
}

/// Columns one after the other, from a panel of k columns.
template <class T>
HostVector<T> by_columns(const HostVector<T>& by_rows, Size k) {
    const Size n = by_rows.size() / k;
    HostVector<T> columns(by_rows.size());
    for (Size i = 0; i < n; ++i) {
        for (Size j = 0; j < k; ++j) columns[j * n + i] = by_rows[i * k + j];
    }
    return columns;
}

template <class T>
void write_vectors(const HostVector<T>& vectors, const EigenCommandOptions& options, EigenReport& report,
                   StatusLine& status) {
    if (options.vectors.empty()) return;
    const Stopwatch watch;
    status.show(fmt::format("writing {}", options.vectors));
    try_output("--output", report.failures, [&] {
        if (report.fault) throw Error("not written, as nothing was found");
        std::vector<std::string> comments{
            one_line(fmt::format("eigenvectors of {}: {}", options.matrix, outcome(report)))};
        for (const EigenPair& pair : report.result.pairs) {
            comments.push_back(fmt::format("lambda = {}, relative residual {:.3e}", unsigned_nan(pair.value),
                                           unsigned_nan(pair.residual)));
        }
        stiefel::write_vectors<T>(options.vectors, report.matrix.n_rows, static_cast<Index>(options.count),
                                  by_columns(vectors, options.count).span(),
                                  {.threads = report.backend.threads, .comments = comments, .allow_not_finite = true});
        report.vectors_path = options.vectors;
    });
    report.seconds.write = watch.seconds();
    status.clear();
}

template <class T, class B>
void eigenpairs_with(B& backend, OpenMP& host, MatrixSource<T> source, const EigenCommandOptions& options,
                     EigenReport& report, StatusLine& status) {
    report.backend = described(backend, host);
    HostVector<T> vectors;
    {
        auto& maker = matrix_maker(backend, host);
        const int exponent = source.exponent;
        auto a = symmetric_csr(maker, host, std::move(source), options.matrix, eigen_needs, report.matrix,
                               report.seconds, report.notes, status);
        if (options.count > a.n_rows) {
            throw UsageError(
                fmt::format("--count {}: {} has only {}", options.count, options.matrix, counted(a.n_rows, "row")));
        }
        const Stopwatch watch;
        const RowStatistics rows = row_statistics(maker, a);
        const EigenPreconditioner preconditioner = choose_preconditioner(maker, a, options, report.method);
        report.method.preconditioner = word_of<EigenPreconditioner>(preconditioner, eigen_preconditioner_choices);
        const bool polynomial =
            preconditioner == EigenPreconditioner::chebyshev || options.method == EigenMethod::subspace;
        report.method.degree = polynomial ? options.degree : 0;
        report.seconds.setup += watch.seconds();
        vectors = eigenpairs_on(backend, std::move(a), rows, preconditioner, options, report, status);
        scale_values(report.result, exponent);
    }
    write_vectors(vectors, options, report, status);
    try_read_bandwidth(backend, report);
    report.peak_memory_bytes = peak_memory_bytes();
}

template <class T>
EigenReport find_eigenpairs(const EigenCommandOptions& options, StatusLine& status) {
    const Size own_budget = options.method == EigenMethod::lobpcg ? 2000 : 10000;
    EigenReport report{.method = {.name = std::string(word_of<EigenMethod>(options.method, eigen_method_choices)),
                                  .which = std::string(word_of<EigenEnd>(options.which, which_choices)),
                                  .precision = std::string(word_of<Precision>(options.precision, precision_choices)),
                                  .count = options.count,
                                  .rtol = options.rtol,
                                  .max_iterations = options.max_iterations >= 0 ? options.max_iterations : own_budget,
                                  .time_limit = options.time_limit,
                                  .seed = options.seed}};
    BackendStart start(backend_options(options));
    OpenMP host(host_threads(options));
    auto source = read_square_matrix<T>(host, options.matrix, options.cache, eigen_needs, report.seconds, status);
    const Stopwatch watch;
    start.with_backend([&]<class B>(B& backend) {
        if constexpr (!HostBackend<B>) report.seconds.start = watch.seconds();
        eigenpairs_with(backend, host, std::move(source), options, report, status);
    });
    return report;
}

}  // namespace stiefel::cli
