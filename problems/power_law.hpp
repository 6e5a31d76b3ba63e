#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/problems/row_source.hpp"
#include "stiefel/spmv/csr.hpp"

#include <cstdint>

namespace stiefel {

struct PowerLawOptions {
    double mean = 10.5;      ///< expected entries of a row, before rows are cut at n_cols
    double exponent = 0.62;  ///< of the row lengths, 0 <= exponent < 1; 0 makes all rows of a length
    double skew = 2.0;       ///< of the columns, >= 1; 1 is uniform, more crowds them at the left
    std::uint64_t seed = 1;
};

/// A general matrix whose row lengths follow a power law, as in graphs of the web: row i has about
/// mean (1 - exponent) u_i^-exponent entries, u_i uniform in (0, 1), rounded up or down at random so that the mean is
/// kept, and at most n_cols. So a share t of the rows is longer than mean (1 - exponent) t^-exponent. Their columns are
/// n_cols w^skew, w uniform: column j is hit in proportion to (j + 1)^(1/skew - 1). Values are uniform in (-1, 1).
/// Throws InvalidArgument if a size or the mean is negative, or exponent or skew out of range.
template <class T>
HostCsr<T> power_law_rows(OpenMP&, Index n_rows, Index n_cols, const PowerLawOptions& options = {});

/// The same, of any rows.
RowSource power_law_source(Index n_rows, Index n_cols, const PowerLawOptions& options = {});

}  // namespace stiefel
