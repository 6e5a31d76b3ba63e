#pragma once

#include "bench/suites/suite.hpp"
#include "bench/suites/suite_file.hpp"

namespace stiefel::bench {

/// What each rung of z = L^-T L^-1 r brings, for triangles of few and of many levels.
std::vector<Case> triangular_suite_cases(const SuiteOptions& options);
std::string triangular_suite_table(const std::vector<CaseRecord>& cases, const SuiteHeader& header);
Libraries triangular_suite_libraries(const SuiteOptions& options);

}  // namespace stiefel::bench
