#pragma once

#include "stiefel/preconditioner/fsai/options.hpp"
#include "stiefel/spmv/device_formats.hpp"

namespace stiefel::fsai {

/// S = D^-1/2 A D^-1/2, with A's pattern.
struct DeviceScaled {
    DeviceVector<double> inverse_roots;  ///< of D
    DeviceVector<double> values;
};

/// Throws InvalidArgument naming the row where a diagonal entry is not positive and finite.
DeviceScaled scaled_system(Cuda&, const DeviceCsr<double>& a);

/// The columns of G: the lower triangle of (|S| without small entries)^power, at most Options::longest_row in a row,
/// the largest; as the host's RowPatterns. Its values are those of the power. Memory: all of the power, for a moment.
DeviceCsr<double> row_patterns(Cuda&, const DeviceCsr<double>& a, const DeviceScaled& s, const Options&);

/// As the host's.
struct DeviceFactor {
    DeviceCsr<double> g;
    Index jacobi_rows = 0;
};

/// As factor() of the host; some lanes of a warp or a block compute a row. The bits are the same in every run. Throws
/// OutOfMemory before G is computed where it has no room.
DeviceFactor factor(Cuda&, const DeviceCsr<double>& a, const DeviceScaled& s, const Options&, double least_pivot);

}  // namespace stiefel::fsai
