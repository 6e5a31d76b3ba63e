#include "stiefel/cli/solve/suitability.hpp"

#include "stiefel/analysis/diagonal.hpp"
#include "stiefel/analysis/symmetry.hpp"
#include "stiefel/cli/report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace stiefel::cli {

namespace {

std::string describe(const MirroredPair& pair) {
    return fmt::format("entry ({0}, {1}) is {2} and entry ({1}, {0}) is {3}", pair.row + 1, pair.col + 1, pair.value,
                       pair.mirrored);
}

/// The first row whose diagonal entry is not positive, and how it is said; row -1 if there is none.
struct BadDiagonal {
    Index row = -1;
    std::string_view what = {};
};

BadDiagonal first_bad(const DiagonalInfo& diagonal) {
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

template <class T>
void check_symmetric(OpenMP& backend, const HostCsr<T>& a, const std::string& path, std::string_view who_needs,
                     std::vector<std::string>& notes) {
    const SymmetryInfo symmetry = check_symmetry(backend, a);
    if (symmetry.first) {
        throw UnsuitableInput(
            fmt::format("{0}: the matrix is not symmetric: {1}. {2:c}{3} a symmetric one; "
                        "'stiefel info {0}' shows how far from it this is",
                        path, describe(*symmetry.first), std::toupper(static_cast<unsigned char>(who_needs.front())),
                        who_needs.substr(1)));
    }
    if (symmetry.largest) {
        notes.push_back(fmt::format("{}: symmetric only up to rounding: {}", path, describe(*symmetry.largest)));
    }
}

template <class T>
void check_exactly_symmetric(OpenMP& backend, const HostCsr<T>& a, const std::string& path) {
    if (a.n_rows != a.n_cols) {
        throw UnsuitableInput(fmt::format("{}: the matrix has {} rows and {} columns, so it cannot be symmetric", path,
                                          a.n_rows, a.n_cols));
    }
    const SymmetryInfo symmetry = check_symmetry(backend, a);
    if (symmetry.exactly_symmetric()) return;
    throw UnsuitableInput(fmt::format("{}: one triangle cannot stand for both: {}", path, describe(*symmetry.largest)));
}

template <class T>
PreconditionerChoice check_diagonal(OpenMP& backend, const HostCsr<T>& a, const std::string& path,
                                    PreconditionerWord asked) {
    const DiagonalInfo diagonal = analyse_diagonal(backend, a);
    if (const BadDiagonal bad = first_bad(diagonal); bad.row >= 0) {
        const bool all_negative = diagonal.negative.count == a.n_rows;
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

template void check_symmetric(OpenMP&, const HostCsr<float>&, const std::string&, std::string_view,
                              std::vector<std::string>&);
template void check_symmetric(OpenMP&, const HostCsr<double>&, const std::string&, std::string_view,
                              std::vector<std::string>&);
template void check_exactly_symmetric(OpenMP&, const HostCsr<float>&, const std::string&);
template void check_exactly_symmetric(OpenMP&, const HostCsr<double>&, const std::string&);
template PreconditionerChoice check_diagonal(OpenMP&, const HostCsr<float>&, const std::string&, PreconditionerWord);
template PreconditionerChoice check_diagonal(OpenMP&, const HostCsr<double>&, const std::string&, PreconditionerWord);

}  // namespace stiefel::cli
