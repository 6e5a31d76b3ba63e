#pragma once

#include "bench/suites/suite.hpp"

#include "stiefel/spmv/csr.hpp"

#include <functional>
#include <vector>

namespace stiefel::bench {

/// A sparse matrix whose products are measured, under labels of its own.
struct SparseOperand {
    Labels labels;
    double weight = 1;
    std::function<HostCsr<double>()> make;
};

/// Which formats: all that the ladders have rungs for in several shapes, or one shape of each.
enum class FormatRange { all_shapes, one_each };

/// y = A x: every rung of every format, on the backends asked for.
void add_spmv_cases(const SparseOperand& operand, FormatRange formats, const SuiteBackends& backends,
                    std::vector<Case>& cases);

/// Y = A X for panels of k columns, likewise.
void add_spmm_cases(const SparseOperand& operand, const std::vector<Index>& columns, FormatRange formats,
                    const SuiteBackends& backends, std::vector<Case>& cases);

}  // namespace stiefel::bench
