#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/problems/row_source.hpp"
#include "stiefel/spmv/csr.hpp"

#include <cstdint>

namespace stiefel {

/// A general random matrix: every entry is there with probability `density`, independently, and uniform in (-1, 1);
/// row lengths are binomial. The work is linear in the nonzeros, not in n_rows * n_cols: a row jumps from entry to
/// entry by geometric gaps (Vitter 1987).
/// Throws InvalidArgument if a size is negative or the density not in [0, 1].
template <class T>
HostCsr<T> random_csr(OpenMP&, Index n_rows, Index n_cols, double density, std::uint64_t seed);

/// The same, of any rows.
RowSource random_csr_source(Index n_rows, Index n_cols, double density, std::uint64_t seed);

}  // namespace stiefel
