#pragma once

#include "bench/suites/suite.hpp"
#include "bench/suites/suite_file.hpp"

namespace stiefel::bench {

/// What kernels of their own bring to the panels of block methods, by width, beside the product of any matrices.
std::vector<Case> panel_suite_cases(const SuiteOptions& options);
std::string panel_suite_table(const std::vector<CaseRecord>& cases, const SuiteHeader& header);
Libraries panel_suite_libraries(const SuiteOptions& options);

}  // namespace stiefel::bench
