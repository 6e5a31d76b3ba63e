#pragma once

#include "stiefel/analysis/diagonal_entries.hpp"
#include "stiefel/cli/eigen/eigen_options.hpp"
#include "stiefel/cli/preconditioner_words.hpp"

namespace stiefel::cli {

/// The preconditioner to take for a matrix with n_rows rows and this diagonal, and why if it is chosen here. Where amg
/// is, its set-up may still find that A is not positive definite: see without_amg.
PreconditionerChoice choose_preconditioner(const DiagonalEntries& diagonal, Size n_rows,
                                           const EigenCommandOptions& options);

/// What to take in its place for the reason `why`.
PreconditionerChoice without_amg(const EigenCommandOptions& options, std::string why);

}  // namespace stiefel::cli
