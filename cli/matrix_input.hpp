#pragma once

#include "stiefel/cli/report/solve_report.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace stiefel::cli {

/// Reads a matrix and checks that it is square and symmetric, up to rounding, which is noted. Fills in what there is to
/// report, and adds to the times. who_needs: "conjugate gradients need", for messages. Throws what the reader throws,
/// and UnsuitableInput. Memory: that of the file's entries and of the CSR at once, no more.
template <class T>
HostCsr<T> read_symmetric_matrix(OpenMP& backend, const std::string& path, std::string_view who_needs,
                                 SolveReport::Matrix& matrix, SolveReport::Seconds& seconds,
                                 std::vector<std::string>& notes, StatusLine& status);

}  // namespace stiefel::cli
