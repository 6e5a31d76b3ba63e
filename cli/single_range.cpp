#include "stiefel/cli/single_range.hpp"

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/io/reader_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiefel::cli {

namespace {

/// The power of two that entries are divided by so that CG in single precision has room; 0 where it has it anyway.
int exponent_for_single(double largest) {
    constexpr int near = 60, most = 1000;  // 2^most and its inverse are numbers
    if (!(largest > 0) || !std::isfinite(largest)) return 0;
    const int exponent = std::ilogb(largest);
    return std::abs(exponent) > near ? std::clamp(exponent, -most, most) : 0;
}

}  // namespace

SingleRange::SingleRange(double largest)
    : largest_(largest), exponent_(exponent_for_single(largest)), factor_(std::ldexp(1.0, -exponent_)) {}

void SingleRange::check_diagonal(Size row, double value, const std::string& path) const {
    if (value == 0) return;
    if (std::abs(static_cast<float>(value * factor_)) >= std::numeric_limits<float>::min()) return;
    throw UnsuitableInput(
        fmt::format("{}: entry ({}, {}) is {} and the largest {}, too far apart for single precision; use "
                    "--precision double",
                    path, row + 1, row + 1, value, largest_));
}

void SingleRange::check_diagonal(const Coo<double>& entries, const std::string& path) const {
    for (Size k = 0; k < entries.n_entries(); ++k) {
        if (entries.row_idx[k] == entries.col_idx[k]) check_diagonal(entries.row_idx[k], entries.values[k], path);
    }
}

template <class To>
Size SingleRange::bring(const HostVector<double>& from, HostVector<To>& to, int threads) const {
    Size n_rounded = 0;
#pragma omp parallel for reduction(+ : n_rounded) num_threads(threads) schedule(static)
    for (Size k = 0; k < from.size(); ++k) {
        const double value = from[k] * factor_;
        const auto rounded = static_cast<float>(value);
        to[k] = rounded;
        n_rounded += static_cast<double>(rounded) != value;
    }
    return n_rounded;
}

void SingleRange::note(bool are_integers, Size n_rounded, std::vector<std::string>& notes) const {
    if (are_integers) note_rounding<float>(n_rounded, notes);
    if (exponent_ == 0) return;
    notes.push_back(fmt::format(
        "entries are divided by 2^{} on the way, so that single precision has room for products", exponent_));
}

double largest_of(const HostVector<double>& values, int threads) {
    double largest = 0;
#pragma omp parallel for reduction(max : largest) num_threads(threads) schedule(static)
    for (Size k = 0; k < values.size(); ++k) largest = std::max(largest, std::abs(values[k]));
    return largest;
}

template <class To>
BroughtColumn BroughtColumn::bring(int exponent, const double* from, Size n, To* to) {
    BroughtColumn column;
    for (Size i = 0; i < n; ++i) {
        const double value = from[i];
        const auto rounded = static_cast<float>(std::ldexp(value, -exponent));
        column.before = std::max(column.before, std::abs(value));
        column.after = std::max(column.after, std::abs(static_cast<double>(rounded)));
        to[i] = rounded;
    }
    return column;
}

void BroughtColumn::check(Index column, const std::string& name) const {
    if (before == 0 || !std::isfinite(before)) return;
    if (after >= static_cast<double>(std::numeric_limits<float>::min()) && std::isfinite(after)) return;
    throw UnsuitableInput(
        fmt::format("{}: the largest number of column {} is {:.1e}, which single precision has "
                    "no room for beside this matrix; use --precision double",
                    name, column + 1, before));
}

template Size SingleRange::bring(const HostVector<double>&, HostVector<float>&, int) const;
template Size SingleRange::bring(const HostVector<double>&, HostVector<double>&, int) const;
template BroughtColumn BroughtColumn::bring(int, const double*, Size, float*);
template BroughtColumn BroughtColumn::bring(int, const double*, Size, double*);

}  // namespace stiefel::cli
