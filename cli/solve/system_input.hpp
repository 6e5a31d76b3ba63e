#pragma once

#include "stiefel/cli/report/solve_report.hpp"
#include "stiefel/cli/solve/solve_options.hpp"
#include "stiefel/cli/solve/suitability.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"
#include "stiefel/spmv/row_statistics.hpp"

#include <optional>

namespace stiefel::cli {

/// A system read, checked, and still in host memory.
template <class T>
struct SystemInput {
    HostCsr<T> a = {};
    RowStatistics rows = {};   ///< of a
    Index n_columns = 1;       ///< of b, and of the guess
    HostVector<T> b = {};      ///< column after column; empty if it is to be A times ones
    HostVector<T> guess = {};  ///< column after column; empty if it is zeros
    PreconditionerChoice preconditioner = {};
};

/// Reads what the options name and checks that conjugate gradients can be asked to solve it. Fills in the report's
/// matrix, notes and times. Throws what the reader throws, UnsuitableInput and NotPositiveDefinite.
/// Memory: that of the file's entries and of the CSR at once, no more.
template <class T>
SystemInput<T> read_system(OpenMP& backend, const SolveOptions& options, SolveReport& report, StatusLine& status);

}  // namespace stiefel::cli
