#pragma once

#include "stiefel/cli/report/solve_report.hpp"
#include "stiefel/cli/solve/solve_options.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/core/timing.hpp"

namespace stiefel::cli {

/// Does what `stiefel solve` does in precision T: reads, checks, solves on the backend asked for, writes x. Returns all
/// there is to report but the total time. Compiled once for each precision (solve_double.cpp, solve_single.cpp).
template <class T>
SolveReport solve_system(const SolveOptions& options, StatusLine& status);

extern template SolveReport solve_system<float>(const SolveOptions&, StatusLine&);
extern template SolveReport solve_system<double>(const SolveOptions&, StatusLine&);

}  // namespace stiefel::cli
