#pragma once

#include "stiefel/cli/options.hpp"

#include <span>
#include <string>
#include <string_view>

namespace stiefel::cli {

/// One of the library's list, by its place there, or the one that only eigensolvers have.
enum class PreconditionerWord : int {
    automatic = -1,
    none = 0,
    jacobi = 1,
    block_jacobi = 2,
    amg = 4,
    fsai = 5,
    ic = 6,
    ssor = 7,
    cholesky = 8,
    shifted_chebyshev = 1000
};

/// "auto", and what preconditioner/list.hpp lists; and what each does.
std::span<const Choice<PreconditionerWord>> preconditioner_choices();
std::string preconditioner_help();

/// The same, and shifted-chebyshev, which only an eigensolver can aim.
std::span<const Choice<PreconditionerWord>> eigen_preconditioner_choices();
std::string eigen_preconditioner_help();

/// The name of one of the library's list.
std::string_view preconditioner_name(PreconditionerWord word);

struct PreconditionerChoice {
    PreconditionerWord word = PreconditionerWord::none;  ///< never automatic
    std::string reason = {};                             ///< why, if it was chosen here
};

}  // namespace stiefel::cli
