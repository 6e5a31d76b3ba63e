#pragma once

#include "bench/suites/suite.hpp"
#include "bench/suites/suite_file.hpp"

namespace stiefel::bench {

/// What rungs, schedules, threads and tiles do to C = A B, square and dense, beside the BLAS libraries that there are.
std::vector<Case> gemm_suite_cases(const SuiteOptions& options);
std::string gemm_suite_table(const std::vector<CaseRecord>& cases, const SuiteHeader& header);
Libraries gemm_suite_libraries(const SuiteOptions& options);

}  // namespace stiefel::bench
