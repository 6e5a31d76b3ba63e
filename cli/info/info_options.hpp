#pragma once

#include "stiefel/cli/info/info_report.hpp"
#include "stiefel/cli/info/preconditioner_trials.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/core/openmp.hpp"

#include <string>

namespace stiefel::cli {

/// Everything that `stiefel info` can be told.
struct InfoOptions {
    std::string matrix;
    std::string json;
    bool cache = false;
    std::string partition = "auto";
    TrialWords trials;
};

/// What can be found wrong before anything is read. Throws UsageError.
void check_info_options(const InfoOptions& options);

/// Reads the matrix and looks at it. Throws what the reader throws.
InfoReport described(OpenMP& backend, const InfoOptions& options, StatusLine& status);

/// Prints and writes the report. Throws Error that names the flag where it cannot be written.
void tell(const InfoReport& report, const InfoOptions& options);

}  // namespace stiefel::cli
