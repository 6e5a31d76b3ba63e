#pragma once

#include "stiefel/analysis/matrix_info.hpp"
#include "stiefel/analysis/pattern_raster.hpp"
#include "stiefel/analysis/row_length_histogram.hpp"

#include <memory>

namespace stiefel::cli {

/// What `--report` shows of the matrix as such.
struct MatrixDiagnosis {
    MatrixInfo info = {};  ///< without the bytes in formats
    PatternRaster pattern = {};
    RowLengthHistogram row_lengths = {};
};

/// The values are those of `a` times 2^exponent. Passes over A in parallel, some 10 ns a nonzero of one core; where it
/// is not known to be symmetric, as one triangle in a file is, that is looked at as well, which takes as long again or
/// much longer (check_symmetry).
template <class T>
std::shared_ptr<const MatrixDiagnosis> diagnosed(OpenMP& host, const HostCsr<T>& a, int exponent, bool is_symmetric);

}  // namespace stiefel::cli
