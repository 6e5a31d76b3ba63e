#pragma once

#include "stiefel/preconditioner/fsai/options.hpp"
#include "stiefel/spmv/device_formats.hpp"

namespace stiefel::fsai {

/// Of D^-1/2, D the diagonal of A: A is scaled by them to a unit diagonal. Throws InvalidArgument naming the row where
/// an entry of D is not positive and finite.
DeviceVector<double> inverse_roots(Cuda&, const DeviceCsr<double>& a);

/// The columns of G: the lower triangle of (|S| without small entries)^power, at most Options::longest_row in a row,
/// the largest; as the host's RowPatterns, or, where rows grow, its GrownPatterns. Without values.
DeviceCsr<double> row_patterns(Cuda&, const DeviceCsr<double>& a, const Options&, double least_pivot);

/// G of the host scaled by D^-1/2, and its transpose.
struct DeviceFactor {
    DeviceCsr<double> lower;  ///< G D^-1/2
    DeviceCsr<double> upper;  ///< D^-1/2 G'
    Index longest_lower = 0;  ///< row
    Index longest_upper = 0;
    Index jacobi_rows = 0;
};

/// As factor() of the host; a warp or some of its lanes find the columns of a row and compute it. The bits are the
/// same in every run. Memory: 580 bytes a row (1160 where rows grow) and 12 a nonzero of A before G is put together.
/// Throws OutOfMemory before that where it has no room, and InvalidArgument as inverse_roots().
DeviceFactor factor(Cuda&, const DeviceCsr<double>& a, const Options&, double least_pivot);

}  // namespace stiefel::fsai
