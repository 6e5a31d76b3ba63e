#pragma once

#include "bench/suites/suite.hpp"
#include "bench/suites/suite_file.hpp"

namespace stiefel::bench {

/// How the formats of y = A x compare over thirty matrices.
std::vector<Case> spmv_suite_cases(const SuiteOptions& options);
std::string spmv_suite_table(const std::vector<CaseRecord>& cases, const SuiteHeader& header);

/// How sparse times a panel of k columns scales with k.
std::vector<Case> spmm_suite_cases(const SuiteOptions& options);
std::string spmm_suite_table(const std::vector<CaseRecord>& cases, const SuiteHeader& header);

}  // namespace stiefel::bench
