#include "stiefel/cli/value_range.hpp"

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/generated_matrix.hpp"
#include "stiefel/io/reader_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stiefel::cli {

namespace {

double largest_of(const HostVector<double>& values, int threads) {
    double largest = 0;
#pragma omp parallel for reduction(max : largest) num_threads(threads) schedule(static)
    for (Size k = 0; k < values.size(); ++k) largest = std::max(largest, std::abs(values[k]));
    return largest;
}

/// The power of two that entries are divided by so that CG in single precision has room; 0 where it has it anyway.
int exponent_for_single(double largest) {
    constexpr int near = 60, most = 1000;  // 2^most and its inverse are numbers
    if (!(largest > 0) || !std::isfinite(largest)) return 0;
    const int exponent = std::ilogb(largest);
    return std::abs(exponent) > near ? std::clamp(exponent, -most, most) : 0;
}

/// Throws UnsuitableInput for the first entry of the diagonal that is no normal number once multiplied by `factor`.
void check_diagonal_room(const Coo<double>& a, double factor, double largest, const std::string& path) {
    for (Size k = 0; k < a.values.size(); ++k) {
        if (a.row_idx[k] != a.col_idx[k] || a.values[k] == 0) continue;
        if (std::abs(static_cast<float>(a.values[k] * factor)) >= std::numeric_limits<float>::min()) continue;
        throw UnsuitableInput(
            fmt::format("{}: entry ({}, {}) is {} and the largest {}, too far apart for single precision; use "
                        "--precision double",
                        path, a.row_idx[k] + 1, a.col_idx[k] + 1, a.values[k], largest));
    }
}

/// Multiplies by `factor` and rounds; counts those that are other numbers then.
Size round_to_single(const HostVector<double>& from, double factor, int threads, HostVector<float>& to) {
    Size n_rounded = 0;
#pragma omp parallel for reduction(+ : n_rounded) num_threads(threads) schedule(static)
    for (Size k = 0; k < from.size(); ++k) {
        const double value = from[k] * factor;
        to[k] = static_cast<float>(value);
        n_rounded += static_cast<double>(to[k]) != value;
    }
    return n_rounded;
}

}  // namespace

template <>
RangedMatrix<double> read_matrix_in_range(const std::string& path, int threads) {
    return {read_matrix<double>(path, {.threads = threads}), 0};
}

template <>
RangedMatrix<float> read_matrix_in_range(const std::string& path, int threads) {
    OpenMP host(threads);
    MatrixMarket<double> wide =
        is_generated(path) ? generated_file(host, path) : read_matrix<double>(path, {.threads = threads});
    const double largest = largest_of(wide.coo.values, threads);
    const int exponent = exponent_for_single(largest);
    const double factor = std::ldexp(1.0, -exponent);
    check_diagonal_room(wide.coo, factor, largest, path);
    HostVector<float> values(wide.coo.values.size());
    const Size n_rounded = round_to_single(wide.coo.values, factor, threads, values);
    MatrixMarket<float> file{.header = std::move(wide.header),
                             .coo = {.n_rows = wide.coo.n_rows,
                                     .n_cols = wide.coo.n_cols,
                                     .symmetry = wide.coo.symmetry,
                                     .row_idx = std::move(wide.coo.row_idx),
                                     .col_idx = std::move(wide.coo.col_idx),
                                     .values = std::move(values)},
                             .notes = std::move(wide.notes)};
    if (file.header.field == MatrixMarketField::integer) note_rounding<float>(n_rounded, file.notes);
    if (exponent != 0) {
        file.notes.push_back(fmt::format(
            "entries are divided by 2^{} on the way, so that single precision has room for products", exponent));
    }
    return {std::move(file), exponent};
}

template <>
DenseArray<double> brought_into_range(DenseArray<double> vectors, int, const std::string&) {
    return vectors;
}

template <>
DenseArray<float> brought_into_range(DenseArray<double> vectors, int exponent, const std::string& name) {
    DenseArray<float> result{vectors.n_rows, vectors.n_cols, HostVector<float>(vectors.values.size())};
    for (Index j = 0; j < vectors.n_cols && !vectors.values.empty(); ++j) {
        const Size first = Size{j} * vectors.n_rows;
        double before = 0, after = 0;
        for (Size i = first; i < first + vectors.n_rows; ++i) {
            result.values[i] = static_cast<float>(std::ldexp(vectors.values[i], -exponent));
            before = std::max(before, std::abs(vectors.values[i]));
            after = std::max(after, std::abs(static_cast<double>(result.values[i])));
        }
        if (before == 0 || !std::isfinite(before)) continue;
        if (after >= static_cast<double>(std::numeric_limits<float>::min()) && std::isfinite(after)) continue;
        throw UnsuitableInput(
            fmt::format("{}: the largest number of column {} is {:.1e}, which single precision has "
                        "no room for beside this matrix; use --precision double",
                        name, j + 1, before));
    }
    return result;
}

}  // namespace stiefel::cli
