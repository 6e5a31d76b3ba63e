#pragma once

#include "stiefel/cli/solve/solve_options.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

#include <string>

namespace stiefel::cli {

struct PreconditionerChoice {
    PreconditionerWord word = PreconditionerWord::none;  ///< never automatic
    std::string reason = {};                             ///< why, if it was chosen here
};

/// Throws NotPositiveDefinite naming the first diagonal entry that is not positive. Decides for `automatic`.
template <class T>
PreconditionerChoice check_diagonal(OpenMP& backend, const HostCsr<T>& a, const std::string& path,
                                    PreconditionerWord asked);

}  // namespace stiefel::cli
