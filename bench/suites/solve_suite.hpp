#pragma once

#include "bench/suites/suite.hpp"
#include "bench/suites/suite_file.hpp"

namespace stiefel::bench {

/// Every solver with every preconditioner over symmetric positive definite systems, as `stiefel solve` does it.
std::vector<Case> solve_suite_cases(const SuiteOptions& options);
std::string solve_suite_table(const std::vector<CaseRecord>& cases, const SuiteHeader& header);

}  // namespace stiefel::bench
