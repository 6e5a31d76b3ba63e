#include "stiefel/cli/system_input.hpp"

#include "stiefel/cli/file_words.hpp"
#include "stiefel/cli/numbers.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/problems/random.hpp"
#include "stiefel/spmv/convert.hpp"

#include <fmt/format.h>

#include <utility>

namespace stiefel::cli {

namespace {

void check_header(const MatrixMarketHeader& header, const std::string& path) {
    if (header.n_rows != header.n_cols) {
        throw UnsuitableInput(
            fmt::format("{}: the matrix has {} rows and {} columns; conjugate gradients need a square one", path,
                        header.n_rows, header.n_cols));
    }
    if (header.symmetry == Symmetry::skew_symmetric && header.n_rows > 0) {
        throw UnsuitableInput(
            fmt::format("{}: the matrix is skew-symmetric, its diagonal is zero; conjugate gradients need a symmetric "
                        "positive definite one",
                        path));
    }
}

template <class T>
HostCsr<T> read_csr(OpenMP& backend, const SolveOptions& options, SolveReport& report, StatusLine& status) {
    const std::string& path = options.matrix;
    Stopwatch watch;
    status.show(fmt::format("reading {}", path));
    MatrixMarket<T> file = read_matrix<T>(path, {.threads = backend.threads()});
    report.seconds.read += watch.restart();
    check_header(file.header, path);
    report.notes = noted(path, file.notes);

    status.show(fmt::format("converting {}", path));
    CsrFromCoo<T> converted = csr_from_coo(backend, std::exchange(file.coo, {}));
    note_duplicates(path, converted.n_duplicates, report.notes);
    report.seconds.convert += watch.restart();
    report.matrix = {.path = path,
                     .n_rows = file.header.n_rows,
                     .n_cols = file.header.n_cols,
                     .nnz = converted.csr.nnz(),
                     .symmetry = std::string(word_of(file.header.symmetry)),
                     .format = "csr",
                     .bytes = converted.csr.bytes()};
    if (file.header.symmetry == Symmetry::general) check_symmetric(backend, converted.csr, path, report.notes);
    report.seconds.setup += watch.seconds();
    return std::move(converted.csr);
}

/// The right-hand sides, or nothing if they are A times ones.
template <class T>
DenseArray<T> right_hand_sides(const SolveOptions& options, Index n, int threads) {
    if (options.rhs == "consistent") return {n, 1, {}};
    if (options.rhs == "ones") return {n, 1, HostVector<T>(n, T{1})};
    if (options.rhs_is_random()) {
        constexpr std::uint64_t seed = 1;
        const Index k = random_columns(options.rhs);
        HostVector<T> b(Size{n} * k);
        for (Index j = 0; j < k; ++j) {
            const RandomRow random(seed, j);
            for (Index i = 0; i < n; ++i) b[Size{j} * n + i] = static_cast<T>(2 * random.uniform(i) - 1);
        }
        return {n, k, std::move(b)};
    }
    return read_vectors<T>(options.rhs == "archive" ? options.matrix : options.rhs, n, {.threads = threads});
}

template <class T>
HostVector<T> guesses(const SolveOptions& options, Index n, Index n_columns, int threads) {
    if (options.guess.empty()) return {};
    DenseArray<T> guess = read_vectors<T>(options.guess, n, {.threads = threads});
    if (guess.n_cols != n_columns) {
        throw UnsuitableInput(fmt::format("{}: the guess has {} and the right-hand side {}", options.guess,
                                          counted(guess.n_cols, "column"), n_columns));
    }
    return std::move(guess.values);
}

}  // namespace

template <class T>
SystemInput<T> read_system(OpenMP& backend, const SolveOptions& options, SolveReport& report, StatusLine& status) {
    SystemInput<T> system{.a = read_csr<T>(backend, options, report, status)};
    Stopwatch watch;
    system.preconditioner = check_diagonal(backend, system.a, options.matrix, options.preconditioner);
    system.rows = row_statistics(backend, system.a);
    report.seconds.setup += watch.restart();
    const Index n = system.a.n_rows;
    DenseArray<T> b = right_hand_sides<T>(options, n, backend.threads());
    system.n_columns = b.n_cols;
    system.b = std::move(b.values);
    system.guess = guesses<T>(options, n, system.n_columns, backend.threads());
    report.seconds.read += watch.seconds();
    return system;
}

template SystemInput<float> read_system(OpenMP&, const SolveOptions&, SolveReport&, StatusLine&);
template SystemInput<double> read_system(OpenMP&, const SolveOptions&, SolveReport&, StatusLine&);

}  // namespace stiefel::cli
