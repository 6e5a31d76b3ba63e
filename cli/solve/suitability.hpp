#pragma once

#include "stiefel/analysis/diagonal_entries.hpp"
#include "stiefel/cli/solve/solve_options.hpp"

#include <string>

namespace stiefel::cli {

/// Throws NotPositiveDefinite naming the first of n_rows diagonal entries that is not positive. Decides for
/// `automatic`.
PreconditionerChoice check_diagonal(const DiagonalEntries& diagonal, Size n_rows, const std::string& path,
                                    PreconditionerWord asked);

}  // namespace stiefel::cli
