#pragma once

#include "stiefel/cli/eigen/eigen_options.hpp"
#include "stiefel/cli/solve/solve_options.hpp"

#include <string>
#include <vector>

namespace stiefel::python {

/// Options as the program `stiefel solve` takes them, from the words of its command line. Throws what it throws.
cli::SolveOptions solve_options(const std::vector<std::string>& words);

/// The same of `stiefel eigen`.
cli::EigenCommandOptions eigen_options(const std::vector<std::string>& words);

/// The long names of all options that `stiefel solve` has.
std::vector<std::string> names_of_solve_options();

}  // namespace stiefel::python
