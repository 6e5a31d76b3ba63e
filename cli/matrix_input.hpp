#pragma once

#include "stiefel/cli/report/solve_report.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/io/matrix_cache.hpp"
#include "stiefel/spmv/csr.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace stiefel::cli {

/// For help pages.
inline constexpr const char* cache_help =
    "keep the matrix in binary beside its file (A.mtx.stiefel-cache), or take it from there if it is still that of "
    "the file: ten times as fast";

/// Throws UsageError for --cache with standard input, which has no place beside it.
void check_cache(const std::string& path, bool use_cache);

/// A matrix as it comes from its file, or from the cache beside it, which is written if it is not there or not good;
/// what became of it is noted. Adds to the times of reading and converting. Throws what the reader throws.
/// Memory: that of the file's entries and of the CSR at once, no more.
template <class T>
CachedMatrix<T> read_csr(OpenMP& backend, const std::string& path, bool use_cache, SolveReport::Seconds& seconds,
                         StatusLine& status);

/// Reads a matrix so and checks that it is square and symmetric, up to rounding, which is noted. Fills in what there is
/// to report. who_needs: "conjugate gradients need", for messages. Throws UnsuitableInput besides.
template <class T>
HostCsr<T> read_symmetric_matrix(OpenMP& backend, const std::string& path, bool use_cache, std::string_view who_needs,
                                 SolveReport::Matrix& matrix, SolveReport::Seconds& seconds,
                                 std::vector<std::string>& notes, StatusLine& status);

}  // namespace stiefel::cli
