#pragma once

#include "stiefel/cli/backend_options.hpp"
#include "stiefel/cli/info/preconditioner_trial.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/spmv/csr.hpp"

#include <string>
#include <vector>

namespace stiefel::cli {

/// How the preconditioners are to be tried.
struct TrialWords : BackendWords {
    bool asked = false;
    double rtol = 1e-8;
    double time_limit = 60;  ///< seconds, of the iterations of each
};

/// Solves A x = b, b random, with every preconditioner that the backend has, in double precision, as `stiefel solve`
/// does: with `auto` first, then in the order of the list. One whose iterations take twenty times as long as the
/// fastest so far took altogether, and a second, is given up; a signal ends the trials. Reads the file each time.
/// seconds_of_cholesky: what a factorisation is expected to take; it is not tried where that is more than the others
/// are given, as nothing ends it on time.
std::vector<PreconditionerTrial> try_preconditioners(const std::string& matrix, bool cache, const TrialWords& words,
                                                     double seconds_of_cholesky, StatusLine& status);

/// Of A, by its analysis; by a bound, where that would take longer than the limit itself.
double expected_seconds_of_cholesky(const HostCsr<double>& a, double time_limit);

}  // namespace stiefel::cli
