#pragma once

#include "bench/suites/product_cases.hpp"
#include "bench/suites/triangular_cases.hpp"

#include <memory>
#include <vector>

namespace stiefel::bench {

// What cuSPARSE does beside our rungs; nothing in a program that was built without it.

void add_cusparse_triangular(const TriangularOperand& operand, const std::shared_ptr<Cuda>& backend,
                             std::vector<Case>& cases);

void add_cusparse_products(const SuiteProduct& product, const std::shared_ptr<Cuda>& backend, std::vector<Case>& cases);

/// cuSPARSE with its version, null where this program has not got it; empty where there is no device to measure.
Libraries cusparse_libraries(const SuiteOptions& options);

}  // namespace stiefel::bench
