#include "stiefel/cli/matrix_input.hpp"

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/file_words.hpp"
#include "stiefel/cli/symmetry_check.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/spmv/convert.hpp"

#include <fmt/format.h>

#include <utility>

namespace stiefel::cli {

namespace {

template <class T>
void check_suits(const CachedMatrix<T>& matrix, const std::string& path, std::string_view who_needs) {
    if (matrix.csr.n_rows != matrix.csr.n_cols) {
        throw UnsuitableInput(fmt::format("{}: the matrix has {} rows and {} columns; {} a square one", path,
                                          matrix.csr.n_rows, matrix.csr.n_cols, who_needs));
    }
    if (matrix.symmetry == Symmetry::skew_symmetric && matrix.csr.n_rows > 0) {
        throw UnsuitableInput(
            fmt::format("{}: the matrix is skew-symmetric, its diagonal is zero; {} a symmetric one", path, who_needs));
    }
}

/// From the text of the file.
template <class T>
CachedMatrix<T> parsed_csr(OpenMP& backend, const std::string& path, SolveReport::Seconds& seconds,
                           StatusLine& status) {
    Stopwatch watch;
    status.show(fmt::format("reading {}", path));
    MatrixMarket<T> file = read_matrix<T>(path, {.threads = backend.threads()});
    CachedMatrix<T> matrix{.symmetry = file.header.symmetry,
                           .field = file.header.field,
                           .n_stored = file.coo.n_entries(),
                           .notes = std::move(file.notes)};
    seconds.read += watch.restart();
    status.show(fmt::format("converting {}", path));
    CsrFromCoo<T> converted = csr_from_coo(backend, std::exchange(file.coo, {}));
    matrix.csr = std::move(converted.csr);
    matrix.n_duplicates = converted.n_duplicates;
    seconds.convert += watch.seconds();
    return matrix;
}

/// From the cache, or from the text into the cache.
template <class T>
CachedMatrix<T> kept_csr(OpenMP& backend, const std::string& path, SolveReport::Seconds& seconds,
                         std::vector<std::string>& notes, StatusLine& status) {
    Stopwatch watch;
    MatrixCache cache(path);
    const std::string name = cache.path(sizeof(T));
    status.show(fmt::format("reading {}", name));
    auto kept = cache.load<T>(backend, notes);
    seconds.read += watch.seconds();
    if (kept) {
        notes.push_back(fmt::format("{}: taken from the cache {}", path, name));
        return std::move(*kept);
    }
    CachedMatrix<T> matrix = parsed_csr<T>(backend, path, seconds, status);
    watch.restart();
    status.show(fmt::format("writing {}", name));
    cache.save(backend, matrix, notes);
    seconds.read += watch.seconds();
    return matrix;
}

}  // namespace

void check_cache(const std::string& path, bool use_cache) {
    if (!use_cache || path != "-") return;
    throw UsageError("--cache: standard input has no file to keep a cache beside; name a file, or leave --cache out");
}

template <class T>
CachedMatrix<T> read_csr(OpenMP& backend, const std::string& path, bool use_cache, SolveReport::Seconds& seconds,
                         StatusLine& status) {
    CachedMatrix<T> matrix;
    std::vector<std::string> of_cache;
    if (use_cache) {
        matrix = kept_csr<T>(backend, path, seconds, of_cache, status);
    } else {
        matrix = parsed_csr<T>(backend, path, seconds, status);
    }
    matrix.notes = noted(path, matrix.notes);
    note_duplicates(path, matrix.n_duplicates, matrix.notes);
    matrix.notes.insert(matrix.notes.end(), of_cache.begin(), of_cache.end());
    return matrix;
}

template <class T>
HostCsr<T> read_symmetric_matrix(OpenMP& backend, const std::string& path, bool use_cache, std::string_view who_needs,
                                 SolveReport::Matrix& matrix, SolveReport::Seconds& seconds,
                                 std::vector<std::string>& notes, StatusLine& status) {
    CachedMatrix<T> input = read_csr<T>(backend, path, use_cache, seconds, status);
    check_suits(input, path, who_needs);
    const Stopwatch watch;
    notes = std::move(input.notes);
    matrix = {.path = path,
              .n_rows = input.csr.n_rows,
              .n_cols = input.csr.n_cols,
              .nnz = input.csr.nnz(),
              .symmetry = std::string(word_of(input.symmetry)),
              .format = "csr",
              .bytes = input.csr.bytes()};
    if (input.symmetry == Symmetry::general) check_symmetric(backend, input.csr, path, who_needs, notes);
    seconds.setup += watch.seconds();
    return std::move(input.csr);
}

template CachedMatrix<double> read_csr(OpenMP&, const std::string&, bool, SolveReport::Seconds&, StatusLine&);
template HostCsr<float> read_symmetric_matrix(OpenMP&, const std::string&, bool, std::string_view, SolveReport::Matrix&,
                                              SolveReport::Seconds&, std::vector<std::string>&, StatusLine&);
template HostCsr<double> read_symmetric_matrix(OpenMP&, const std::string&, bool, std::string_view,
                                               SolveReport::Matrix&, SolveReport::Seconds&, std::vector<std::string>&,
                                               StatusLine&);

}  // namespace stiefel::cli
