#pragma once

#include "bench/suites/suite.hpp"

namespace stiefel::bench {

/// OpenBLAS, BLIS and, where a device is to be measured, cuBLAS, with their versions.
Libraries blas_libraries(const SuiteOptions& options);

}  // namespace stiefel::bench
