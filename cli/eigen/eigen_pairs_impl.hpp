#pragma once

#include "stiefel/analysis/matrix_facts.hpp"
#include "stiefel/cli/eigen/eigen_pairs.hpp"
#include "stiefel/cli/eigen/eigen_preconditioner.hpp"
#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/file_words.hpp"
#include "stiefel/cli/interrupt.hpp"
#include "stiefel/cli/listed_preconditioner.hpp"
#include "stiefel/cli/machine.hpp"
#include "stiefel/cli/matrix_input.hpp"
#include "stiefel/cli/operator_input.hpp"
#include "stiefel/cli/outputs.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/terminal/progress_bar.hpp"
#include "stiefel/cli/try_diagnosis.hpp"
#include "stiefel/core/backend_start.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/io/vector_files.hpp"
#include "stiefel/preconditioner/list.hpp"
#include "stiefel/preconditioner/shifted_chebyshev.hpp"
#include "stiefel/solver/lobpcg.hpp"
#include "stiefel/solver/power_iteration.hpp"
#include "stiefel/spmv/row_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

namespace stiefel::cli {

inline constexpr std::string_view eigen_needs = "'stiefel eigen' needs";

/// What of the method is known once the preconditioner is.
inline void report_preconditioner(const PreconditionerChoice& choice, const EigenCommandOptions& options,
                                  EigenReport::Method& method) {
    method.preconditioner = word_of<PreconditionerWord>(choice.word, eigen_preconditioner_choices());
    method.preconditioner_reason = choice.reason;
    const bool polynomial =
        choice.word == PreconditionerWord::shifted_chebyshev || options.method == EigenMethod::subspace;
    method.degree = polynomial ? options.degree : 0;
}

/// Runs the method that was asked for; m: of the library's list, or none.
template <class T, class B, class A, class M>
EigenResult run_method(B& backend, const A& a, const M& m, PreconditionerWord word, MultivectorOf<B, T>& x,
                       const EigenCommandOptions& options, const EigenOptions& how) {
    if (options.method == EigenMethod::power) return power_iteration(backend, a, x, how);
    if (options.method == EigenMethod::subspace) return subspace_iteration(backend, a, x, how);
    // Small matrices are solved by a dense method, which has no use for bounds of the spectrum.
    const Size n = rows_of_all(backend, x.n_rows());
    if (word == PreconditionerWord::shifted_chebyshev && n > whole_space_rows) {
        const Index block = block_columns(n, x.n_cols(), how);
        const auto aimed =
            make_shifted_chebyshev<B, T>(backend, a, x.n_rows(), block, how.which, static_cast<int>(options.degree));
        return lobpcg(backend, a, aimed, x, how);
    }
    return std::visit([&](const auto& listed) { return lobpcg(backend, a, listed, x, how); }, m);
}

/// Whether a search for the smallest pairs has shown that A is not positive definite.
template <class T>
bool shows_indefinite(const EigenProgress& progress) {
    constexpr double eps = std::numeric_limits<T>::epsilon();
    return progress.first_value < -64 * eps * progress.norm_estimate;
}

/// The search that goes on where another ended, as one.
inline EigenResult joined(EigenResult before, EigenResult after) {
    after.iterations += before.iterations;
    after.restarts += before.restarts;
    after.seconds += before.seconds;
    after.history.insert(after.history.begin(), before.history.begin(), before.history.end());
    return after;
}

/// Searches with the progress bar, until a signal asks it to stop, and gives the vectors of the n rows that are here,
/// as they lie in the panel. Where amg is our choice and A turns out not to be positive definite, goes on without.
template <class T, class B, class A, class M>
HostVector<T> run_search(B& backend, const A& a, const M& m, Index n, PreconditionerChoice choice,
                         const EigenCommandOptions& options, EigenReport& report, StatusLine& status) {
    auto x =
        random_multivector<T>(backend, n, static_cast<Index>(options.count), static_cast<std::uint64_t>(options.seed));
    HostVector<T> vectors(x.values().size());
    ProgressBar bar(status, options.rtol, report.method.max_iterations, options.time_limit);
    bool watches = options.preconditioner == PreconditionerWord::automatic && choice.word == PreconditionerWord::amg;
    bool indefinite = false;
    const Stopwatch since_start;
    Size before = 0;  // of the history: what an earlier search left
    EigenOptions how{.which = options.which,
                     .rtol = options.rtol,
                     .max_iterations = report.method.max_iterations,
                     .guard_vectors = static_cast<Index>(options.guards),
                     .filter_degree = static_cast<int>(options.degree),
                     .seed = static_cast<std::uint64_t>(options.seed),
                     .history = options.wants_history(),
                     .monitor =
                         [&](const EigenProgress& progress) {
                             bar.update(progress.iteration, progress.relative_residual);
                             report.marks.add(before + progress.iteration, since_start.seconds());
                             indefinite = watches && shows_indefinite<T>(progress);
                             return !indefinite && !InterruptGuard::requested();
                         },
                     .time_limit = options.time_limit};
    constexpr Size enough_of_amg = 1000;  // where it serves it is done by then
    if (watches) how.max_iterations = std::min(how.max_iterations, enough_of_amg);
    report.result = run_method<T>(backend, a, m, choice.word, x, options, how);
    const Size left = report.method.max_iterations - report.result.iterations;
    if (watches && (indefinite || (report.result.reason == StopReason::max_iterations && left > 0))) {
        watches = false;
        choice = without_amg(
            options, indefinite ? "the first Ritz values show that A is not positive definite" : "amg did not suffice");
        report_preconditioner(choice, options, report.method);
        report.preconditioner = {};
        how.max_iterations = left;
        before = static_cast<Size>(report.result.history.size());
        how.time_limit -= report.result.seconds;
        const M none{std::in_place_type<Identity>};
        report.result = joined(std::move(report.result), run_method<T>(backend, a, none, choice.word, x, options, how));
    }
    report.seconds.solve = report.result.seconds;
    const Stopwatch watch;
    download(backend, x.values(), vectors);
    if constexpr (!HostBackend<B>) report.seconds.download = watch.seconds();
    return vectors;
}

/// What the preconditioner chosen needs of A's entries; nothing for the one that is made of products alone. Chooses
/// another where the choice was ours and it cannot be made.
template <class T, class B>
PreparedPreconditioner<B, T> prepared_preconditioner(B& backend, const Csr<T, typename B::memory>& csr,
                                                     const EigenCommandOptions& options, PreconditionerChoice& choice) {
    const bool is_listed = choice.word != PreconditionerWord::shifted_chebyshev;
    const auto& entry = listed_preconditioner<B, T>(is_listed ? preconditioner_name(choice.word) : "none");
    try {
        return entry.prepare(backend, csr);
    } catch (const InvalidArgument& problem) {
        if (options.preconditioner != PreconditionerWord::automatic) {
            throw UsageError(fmt::format("--preconditioner {}: {}", entry.name, problem.what()));
        }
        choice = without_amg(options, "the set-up of amg finds that A is not positive definite");
    } catch (const OutOfMemory&) {
        if (options.preconditioner != PreconditionerWord::automatic) throw;
        choice = without_amg(options, "there is no memory for amg");
    }
    return listed_preconditioner<B, T>("none").prepare(backend, csr);
}

/// The vectors that are iterated: those asked for and guards.
inline Index block_of_search(Size n, const EigenCommandOptions& options) {
    const auto k = static_cast<Index>(options.count);
    if (options.method == EigenMethod::power) return k;
    return block_columns(n, k, {.guard_vectors = static_cast<Index>(options.guards)});
}

/// Throws UsageError where so many pairs are not there.
inline void check_count(Size n_rows, const EigenCommandOptions& options) {
    if (options.count <= n_rows) return;
    throw UsageError(fmt::format("--count {}: {} has only {}", options.count, options.matrix, counted(n_rows, "row")));
}

/// From the matrix to vectors on the host, row by row. Whatever goes wrong in the search becomes the
/// report's fault, and there are no vectors.
template <class T, class B>
HostVector<T> eigenpairs_on(B& backend, Csr<T, typename B::memory> csr, const RowStatistics& rows,
                            PreconditionerChoice choice, const EigenCommandOptions& options, EigenReport& report,
                            StatusLine& status) {
    Stopwatch watch;
    const auto prepared = prepared_preconditioner<T>(backend, csr, options, choice);
    report_preconditioner(choice, options, report.method);
    report.seconds.setup += watch.restart();
    status.show("choosing format and kernel");
    const Index block = block_of_search(report.matrix.n_rows, options);
    report.method.guards = block - options.count;
    const Index columns = std::min(block, max_spmm_columns);
    const auto a = chosen_operator<T>(backend, std::move(csr), rows, {.columns = columns}, options, report);
    report.seconds.convert += watch.restart();
    const auto m = prepared(backend, a, block);
    std::visit([&](const auto& listed) { report.preconditioner = preconditioner_details(listed); }, m);
    report.seconds.setup += watch.restart();
    status.clear();

    InterruptGuard::protect();
    HostVector<T> vectors;
    try {
        vectors = run_search<T>(backend, a, m, a.n_rows(), choice, options, report, status);
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
void write_vectors(const HostVector<T>& columns, const EigenCommandOptions& options, EigenReport& report,
                   StatusLine& status) {
    const Stopwatch watch;
    status.show(fmt::format("writing {}", options.output));
    try_output("--output", report.failures, [&] {
        if (report.fault) throw Error("not written, as nothing was found");
        std::vector<std::string> comments{
            one_line(fmt::format("eigenvectors of {}: {}", options.matrix, outcome(report)))};
        for (const EigenPair& pair : report.result.pairs) {
            comments.push_back(fmt::format("lambda = {}, relative residual {:.3e}", unsigned_nan(pair.value),
                                           unsigned_nan(pair.residual)));
        }
        stiefel::write_vectors<T>(options.output, static_cast<Index>(report.matrix.n_rows),
                                  static_cast<Index>(options.count), columns.span(),
                                  {.threads = report.backend.threads, .comments = comments, .allow_not_finite = true});
        report.vectors_path = options.output;
    });
    report.seconds.write = watch.seconds();
    status.clear();
}

/// From the matrix as it was read to vectors on the host, row by row.
template <class T, class B>
HostVector<T> eigenpairs_of(B& backend, OpenMP& host, MatrixSource<T> source, const EigenCommandOptions& options,
                            EigenReport& report, StatusLine& status) {
    report.backend = described(backend, host);
    auto& maker = matrix_maker(backend, host);
    const int exponent = source.exponent;
    auto a = symmetric_csr(maker, host, std::move(source), options.matrix, eigen_needs, report.matrix, report.seconds,
                           report.notes, status);
    check_count(a.n_rows, options);
    if (!options.report.empty()) try_diagnosis(maker, host, a, exponent, report);
    const Stopwatch watch;
    const MatrixFacts facts = matrix_facts(maker, a);
    PreconditionerChoice choice = choose_preconditioner(facts.diagonal, a.n_rows, options);
    report.seconds.setup += watch.seconds();
    HostVector<T> vectors =
        eigenpairs_on(backend, std::move(a), facts.rows, std::move(choice), options, report, status);
    scale_values(report.result, exponent);
    return vectors;
}

template <class T, class B>
void eigenpairs_with(B& backend, OpenMP& host, MatrixSource<T> source, const EigenCommandOptions& options,
                     EigenReport& report, StatusLine& status) {
    const HostVector<T> vectors = eigenpairs_of(backend, host, std::move(source), options, report, status);
    if (!options.output.empty()) write_vectors(by_columns(vectors, options.count), options, report, status);
    try_rates_of_machine<T>(backend, options, report);
    report.peak_memory_bytes = peak_memory_bytes();
}

/// What is known of the method before anything is read.
inline EigenReport::Method asked_method(const EigenCommandOptions& options) {
    EigenReport::Method method;
    report_asked(options, method);
    const Size own_budget = options.method == EigenMethod::lobpcg ? 2000 : 10000;
    if (options.max_iterations < 0) method.max_iterations = own_budget;
    method.name = word_of<EigenMethod>(options.method, eigen_method_choices);
    method.which = word_of<EigenEnd>(options.which, which_choices);
    method.count = options.count;
    method.seed = options.seed;
    return method;
}

template <class T>
EigenReport find_eigenpairs(const EigenCommandOptions& options, StatusLine& status) {
    EigenReport report;
    report.method = asked_method(options);
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
