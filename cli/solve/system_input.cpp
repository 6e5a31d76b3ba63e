#include "stiefel/cli/solve/system_input.hpp"

#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/value_range.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/problems/random.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace stiefel::cli {

double random_element(Size i, Index j) {
    constexpr std::uint64_t seed = 1;
    return 2 * RandomRow(seed, j).uniform(i) - 1;
}

DenseArray<double> right_hand_sides(const SolveOptions& options, Index n, int threads) {
    if (options.rhs == "consistent") return {n, 1, {}};
    if (options.rhs == "ones") return {n, 1, HostVector<double>(n, 1.0)};
    if (options.rhs_is_random()) {
        const Index k = random_columns(options.rhs);
        HostVector<double> b(Size{n} * k);
        for (Index j = 0; j < k; ++j) {
            for (Index i = 0; i < n; ++i) b[Size{j} * n + i] = random_element(i, j);
        }
        return {n, k, std::move(b)};
    }
    return read_vectors<double>(options.rhs == "archive" ? options.matrix : options.rhs, n, {.threads = threads});
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

template <class T>
SystemFiles<T> read_system(OpenMP& host, const SolveOptions& options, SolveReport& report, StatusLine& status) {
    SystemFiles<T> files{
        .matrix = read_square_matrix<T>(host, options.matrix, options.cache, cg_needs, report.seconds, status)};
    const Stopwatch watch;
    const Index n = files.matrix.n_rows;
    DenseArray<T> b = brought_into_range<T>(right_hand_sides(options, n, host.threads()), files.matrix.exponent,
                                            options.rhs_is_file() ? options.rhs : fmt::format("--rhs {}", options.rhs));
    files.n_columns = b.n_cols;
    files.b = std::move(b.values);
    files.guess = guesses<T>(options, n, files.n_columns, host.threads());
    files.coordinates = read_coordinates(options.amg, options.matrix, host.threads());
    report.seconds.read += watch.seconds();
    return files;
}

void check_scaled_rhs(bool is_exact, const SolveOptions& options) {
    if (is_exact) return;
    throw UnsuitableInput(fmt::format(
        "--scale diagonal: elements of the right-hand side {} leave the range of {} precision when they are scaled as "
        "the matrix is; leave --scale out{}",
        options.rhs, word_of<Precision>(options.precision, precision_choices),
        options.precision == Precision::single ? ", or give --precision double" : ""));
}

std::string what_scaling_did(const DiagonalEntries& before, const DiagonalEntries& after, int exponent) {
    const auto text = [](double entry) { return fmt::format("{:.2g}", entry); };
    return fmt::format("the diagonal, from {} to {}, is from {} to {} then", text(std::ldexp(before.min_abs, exponent)),
                       text(std::ldexp(before.max_abs, exponent)), text(after.min_abs), text(after.max_abs));
}

template HostVector<float> guesses(const SolveOptions&, Index, Index, int);
template HostVector<double> guesses(const SolveOptions&, Index, Index, int);
template SystemFiles<float> read_system(OpenMP&, const SolveOptions&, SolveReport&, StatusLine&);
template SystemFiles<double> read_system(OpenMP&, const SolveOptions&, SolveReport&, StatusLine&);

}  // namespace stiefel::cli
