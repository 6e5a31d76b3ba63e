#pragma once

#include "bench/suites/suite.hpp"
#include "bench/suites/suite_file.hpp"

namespace stiefel::bench {

/// How density and size move y = A x, Y = A X and the dense product with the same A, and where they meet.
std::vector<Case> density_suite_cases(const SuiteOptions& options);
std::string density_suite_table(const std::vector<CaseRecord>& cases, const SuiteHeader& header);

}  // namespace stiefel::bench
