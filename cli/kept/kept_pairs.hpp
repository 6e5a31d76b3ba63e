#pragma once

#include "stiefel/cli/eigen/eigen_options.hpp"
#include "stiefel/cli/eigen/eigen_report.hpp"
#include "stiefel/cli/kept/kept_matrix.hpp"
#include "stiefel/core/multivector.hpp"
#include "stiefel/preconditioner/list.hpp"
#include "stiefel/solver/eigen_result.hpp"
#include "stiefel/spmv/operator.hpp"

#include <memory>
#include <string>

namespace stiefel::cli {

// Compiled beside the command `eigen` (eigen_double.cpp, eigen_single.cpp).

/// lobpcg of a kept matrix.
template <class T, class B>
EigenResult find_kept_pairs(B& backend, const SpmvOperator<B, T>& a, const ChosenPreconditioner<B, T>& m,
                            MultivectorOf<B, T>& x, const EigenOptions& options);

/// Eigenpairs with vectors on the host, row by row: n times count; none after a fault.
struct KeptPairs {
    EigenReport report = {};
    std::shared_ptr<const void> owner = {};
    const void* vectors = nullptr;
};

/// What `stiefel eigen` does between reading and writing, with the CSR of the host as it lies. Throws what it throws;
/// options.matrix is the name of the matrix in messages.
template <class T>
KeptPairs find_pairs_of(const LentCsr& a, const EigenCommandOptions& options);

extern template KeptPairs find_pairs_of<float>(const LentCsr&, const EigenCommandOptions&);
extern template KeptPairs find_pairs_of<double>(const LentCsr&, const EigenCommandOptions&);

}  // namespace stiefel::cli
