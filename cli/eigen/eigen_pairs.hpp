#pragma once

#include "stiefel/cli/eigen/eigen_options.hpp"
#include "stiefel/cli/eigen/eigen_report.hpp"
#include "stiefel/cli/terminal/terminal.hpp"

namespace stiefel::cli {

/// Does what `stiefel eigen` does in precision T: reads, checks, finds the pairs on the backend asked for, writes the
/// vectors. Returns all there is to report but the total time. Compiled once for each precision.
template <class T>
EigenReport find_eigenpairs(const EigenCommandOptions& options, StatusLine& status);

extern template EigenReport find_eigenpairs<float>(const EigenCommandOptions&, StatusLine&);
extern template EigenReport find_eigenpairs<double>(const EigenCommandOptions&, StatusLine&);

}  // namespace stiefel::cli
