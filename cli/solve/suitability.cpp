#include "stiefel/cli/solve/suitability.hpp"

#include "stiefel/cli/report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace stiefel::cli {

namespace {

/// The first row whose diagonal entry is not positive, and how it is said; row -1 if there is none.
struct BadDiagonal {
    Index row = -1;
    std::string_view what = {};
};

BadDiagonal first_bad(const DiagonalEntries& diagonal) {
    BadDiagonal first;
    const auto consider = [&](const RowTally& tally, std::string_view what) {
        if (tally.count > 0 && (first.row < 0 || tally.first < first.row)) first = {tally.first, what};
    };
    consider(diagonal.missing, "missing, so 0");
    consider(diagonal.zero, "0");
    consider(diagonal.negative, "negative");
    return first;
}

/// Jacobi costs two reads of a vector in an iteration, and on a diagonal this even cannot gain as much.
constexpr double even_diagonal = 1.1;

}  // namespace

PreconditionerChoice check_diagonal(const DiagonalEntries& diagonal, Size n_rows, const std::string& path,
                                    PreconditionerWord asked) {
    if (const BadDiagonal bad = first_bad(diagonal); bad.row >= 0) {
        const bool all_negative = diagonal.negative.count == n_rows;
        throw NotPositiveDefinite(fmt::format(
            "{}: the matrix is not positive definite: its diagonal entry ({}, {}) is {}{}", path, bad.row + 1,
            bad.row + 1, bad.what, all_negative ? "; all of them are, so perhaps -A is meant" : ""));
    }
    if (asked != PreconditionerWord::automatic) return {.word = asked};
    if (diagonal.max_abs <= even_diagonal * diagonal.min_abs) {
        return {.word = PreconditionerWord::none, .reason = "the diagonal is even"};
    }
    return {.word = PreconditionerWord::jacobi,
            .reason = fmt::format("the diagonal varies by a factor of {}",
                                  format_residual(diagonal.max_abs / diagonal.min_abs))};
}

}  // namespace stiefel::cli
