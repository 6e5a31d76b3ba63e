#pragma once

#include "bench/suites/suite.hpp"
#include "bench/suites/suite_file.hpp"

namespace stiefel::bench {

/// What each step of B = A' brings, square and dense, beside a copy.
std::vector<Case> transpose_suite_cases(const SuiteOptions& options);
std::string transpose_suite_table(const std::vector<CaseRecord>& cases, const SuiteHeader& header);

}  // namespace stiefel::bench
