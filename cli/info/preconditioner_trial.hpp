#pragma once

#include "stiefel/core/types.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stiefel::cli {

/// What became of a system with one of the preconditioners.
struct PreconditionerTrial {
    std::string name = {};   ///< as it is asked for
    std::string taken = {};  ///< by `auto`: "none 10 + amg 9"; empty elsewhere
    std::string ended = {};  ///< "converged", "time limit", ...; "refused" where it could not be set up, "not tried"
    std::string why = {};    ///< of what was refused or not tried
    bool converged = false;
    double setup_seconds = 0;
    double solve_seconds = 0;  ///< of the iterations
    Size iterations = 0;
    Size bytes = 0;  ///< that the preconditioner holds
    std::optional<double> residual = {};

    double seconds() const { return setup_seconds + solve_seconds; }
};

/// The fastest that converged, `auto` not counted; nullptr where none did.
const PreconditionerTrial* fastest(const std::vector<PreconditionerTrial>& trials);

/// "cholesky, 8.4 ms; auto took jacobi 30 + cholesky 1, 1.2 times as long".
std::string verdict(const std::vector<PreconditionerTrial>& trials);

}  // namespace stiefel::cli
