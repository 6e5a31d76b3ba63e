#pragma once

#include "bench/suites/suite_options.hpp"

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace stiefel::bench {

/// A matrix that a suite measures with, not made yet.
struct SuiteMatrix {
    std::string name;
    double weight = 1;  ///< millions of nonzeros, about
    /// Throws Refused where it is larger than the options allow, ParseError and FileError of a file.
    std::function<HostCsr<double>()> make;
};

/// Those of --matrices by name, or else the stand-ins of the usual thirty, smallest first. With --quick those that are
/// beyond the largest nnz are left out; without they are listed, and refuse.
std::vector<SuiteMatrix> suite_matrices(const SuiteOptions& options);

/// A problem of `stiefel generate`, in the size of a suite and in that of --quick.
struct GeneratedMatrix {
    const char* problem;
    const char* size;
    const char* quick_size;
    bool by_colours = false;  ///< rows of a colour one after another, so that a triangle has a level a colour
};

/// Those of --matrices by name, or else these: symmetric ones, so a file that is not is refused.
std::vector<SuiteMatrix> suite_matrices(const SuiteOptions& options, std::span<const GeneratedMatrix> list);

/// The .mtx and .mtx.gz files of a folder, by name. Throws InvalidArgument where there are none.
std::vector<std::string> matrix_files_of(const std::string& folder);

/// "cant" of "FOLDER/cant.mtx.gz".
std::string matrix_name_of(const std::string& file);

/// Throws Refused where `bytes` for `what` are more than the options allow.
void require_memory(const SuiteOptions& options, double bytes, const std::string& what);

}  // namespace stiefel::bench
