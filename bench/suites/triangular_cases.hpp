#pragma once

#include "bench/suites/lazy.hpp"
#include "bench/suites/suite.hpp"
#include "bench/triangular_system.hpp"

#include <memory>

namespace stiefel::bench {

/// A system with its triangles, not made yet, and what is the same in all of its cases.
struct TriangularOperand {
    Labels labels;
    double weight = 1;
    std::shared_ptr<Lazy<TriangularSystem<double>>> system;
    std::shared_ptr<Lazy<triangular::LevelTriangles<double>>> triangles;
};

/// Notes what is known of the system before anything solves with it.
void describe_triangular(const TriangularOperand& operand, CaseRecord& record);

/// Throws WrongResult unless L L' z is r; errors may be `grown` times as large as those of two substitutions.
void check_triangular(const TriangularOperand& operand, const HostVector<double>& z, double grown, CaseRecord& record);

/// Every rung on a device, cuSPARSE beside them. In a program with CUDA only.
void add_device_triangular(const TriangularOperand& operand, const std::shared_ptr<Cuda>& backend,
                           std::vector<Case>& cases);

}  // namespace stiefel::bench
