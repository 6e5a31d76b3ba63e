#pragma once

#include "bench/suites/suite.hpp"
#include "bench/suites/suite_file.hpp"

namespace stiefel::bench {

/// What sparse times sparse takes, A A and P'(A P) of multigrid, in its ways and beside Eigen and cuSPARSE.
std::vector<Case> product_suite_cases(const SuiteOptions& options);
std::string product_suite_table(const std::vector<CaseRecord>& cases, const SuiteHeader& header);
Libraries product_suite_libraries(const SuiteOptions& options);

}  // namespace stiefel::bench
