#include "stiefel/cli/matrix_input.hpp"

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/generated_matrix.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/value_range.hpp"

#include <limits>
#include <type_traits>

namespace stiefel::cli {

namespace {

/// Made in place of one that is read; there is no text between.
MatrixSource<double> made_source(OpenMP& host, const std::string& words, ComputationReport::Seconds& seconds,
                                 StatusLine& status) {
    const Stopwatch watch;
    status.show(fmt::format("making {}", words));
    const GeneratedMatrix matrix = generated_matrix(words);
    if (const Size n = matrix.problem->source(matrix.arguments).n_rows; n > std::numeric_limits<Index>::max()) {
        throw UsageError(fmt::format("{}: {} rows, and one process counts 2^31 - 1; several ranks can hold it (mpirun)",
                                     words, grouped(n)));
    }
    HostCsr<double> csr = matrix.problem->make<double>(host, matrix.arguments);
    const Index n_rows = csr.n_rows, n_cols = csr.n_cols;
    const Size n_all = csr.nnz();
    seconds.read += watch.seconds();
    // Those of one triangle are what a file would hold; no diagonal entry is missing.
    const bool is_symmetric = matrix.symmetry() == Symmetry::symmetric;
    return {.n_rows = n_rows,
            .n_cols = n_cols,
            .symmetry = matrix.symmetry(),
            .n_stored = is_symmetric ? (n_all + n_rows) / 2 : n_all,
            .entries = CsrFromCoo<double>{.csr = std::move(csr)}};
}

/// From the text of the file. The notes come without its name.
template <class T>
MatrixSource<T> parsed_source(OpenMP& host, const std::string& path, ComputationReport::Seconds& seconds,
                              StatusLine& status) {
    if constexpr (std::is_same_v<T, double>) {
        if (is_generated(path)) return made_source(host, path, seconds, status);
    }
    const Stopwatch watch;
    status.show(fmt::format("reading {}", path));
    auto [file, exponent] = read_matrix_in_range<T>(path, host.threads());
    const Size n_stored = file.coo.n_entries();
    seconds.read += watch.seconds();
    return {.n_rows = file.header.n_rows,
            .n_cols = file.header.n_cols,
            .symmetry = file.header.symmetry,
            .field = file.header.field,
            .n_stored = n_stored,
            .exponent = exponent,
            .entries = std::move(file.coo),
            .notes = std::move(file.notes)};
}

/// What csr_of_source undoes.
template <class T>
MatrixSource<T> source_of_csr(CachedMatrix<T> matrix) {
    return {.n_rows = matrix.csr.n_rows,
            .n_cols = matrix.csr.n_cols,
            .symmetry = matrix.symmetry,
            .field = matrix.field,
            .n_stored = matrix.n_stored,
            .exponent = matrix.exponent,
            .entries = CsrFromCoo<T>{.csr = std::move(matrix.csr), .n_duplicates = matrix.n_duplicates},
            .notes = std::move(matrix.notes)};
}

/// From the cache, or from the text into the cache. `notes`: what became of the cache.
template <class T>
MatrixSource<T> kept_source(OpenMP& host, const std::string& path, ComputationReport::Seconds& seconds,
                            std::vector<std::string>& notes, StatusLine& status) {
    Stopwatch watch;
    MatrixCache cache(path);
    const std::string name = cache.path(sizeof(T));
    status.show(fmt::format("reading {}", name));
    auto kept = cache.load<T>(host, notes);
    seconds.read += watch.seconds();
    if (kept) {
        notes.push_back(fmt::format("{}: taken from the cache {}", path, name));
        return source_of_csr(std::move(*kept));
    }
    MatrixSource<T> source = parsed_source<T>(host, path, seconds, status);
    watch.restart();
    status.show(fmt::format("converting {}", path));
    CachedMatrix<T> matrix = csr_of_source(host, std::move(source));
    seconds.convert += watch.restart();
    status.show(fmt::format("writing {}", name));
    cache.save(host, matrix, notes);
    seconds.read += watch.seconds();
    return source_of_csr(std::move(matrix));
}

}  // namespace

void check_cache(const std::string& path, bool use_cache) {
    if (!use_cache) return;
    check_from_file("--cache", path);
    if (path != "-") return;
    throw UsageError("--cache: standard input has no file to keep a cache beside; name a file, or leave --cache out");
}

void check_suits(Index n_rows, Index n_cols, Symmetry symmetry, const std::string& path, std::string_view who_needs) {
    if (n_rows != n_cols) {
        throw UnsuitableInput(
            fmt::format("{}: the matrix has {} rows and {} columns; {} a square one", path, n_rows, n_cols, who_needs));
    }
    if (symmetry == Symmetry::skew_symmetric && n_rows > 0) {
        throw UnsuitableInput(
            fmt::format("{}: the matrix is skew-symmetric, its diagonal is zero; {} a symmetric one", path, who_needs));
    }
}

template <class T>
CachedMatrix<T> csr_of_source(OpenMP& host, MatrixSource<T> source) {
    auto [csr, n_duplicates] = csr_in_memory_of(host, host, std::exchange(source.entries, {}));
    return {.csr = std::move(csr),
            .symmetry = source.symmetry,
            .field = source.field,
            .n_stored = source.n_stored,
            .n_duplicates = n_duplicates,
            .exponent = source.exponent,
            .notes = std::move(source.notes)};
}

template <class T>
MatrixSource<T> read_matrix_source(OpenMP& host, const std::string& path, bool use_cache,
                                   ComputationReport::Seconds& seconds, StatusLine& status) {
    std::vector<std::string> of_cache;
    MatrixSource<T> source = use_cache ? kept_source<T>(host, path, seconds, of_cache, status)
                                       : parsed_source<T>(host, path, seconds, status);
    source.notes = noted(path, source.notes);
    source.notes.insert(source.notes.end(), of_cache.begin(), of_cache.end());
    return source;
}

template <class T>
MatrixSource<T> read_square_matrix(OpenMP& host, const std::string& path, bool use_cache, std::string_view who_needs,
                                   ComputationReport::Seconds& seconds, StatusLine& status) {
    MatrixSource<T> source = read_matrix_source<T>(host, path, use_cache, seconds, status);
    check_suits(source.n_rows, source.n_cols, source.symmetry, path, who_needs);
    return source;
}

template CachedMatrix<double> csr_of_source(OpenMP&, MatrixSource<double>);
template MatrixSource<double> read_matrix_source(OpenMP&, const std::string&, bool, ComputationReport::Seconds&,
                                                 StatusLine&);
template MatrixSource<float> read_square_matrix(OpenMP&, const std::string&, bool, std::string_view,
                                                ComputationReport::Seconds&, StatusLine&);
template MatrixSource<double> read_square_matrix(OpenMP&, const std::string&, bool, std::string_view,
                                                 ComputationReport::Seconds&, StatusLine&);

}  // namespace stiefel::cli
