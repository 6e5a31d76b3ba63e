#pragma once

#include "stiefel/spmv/device_formats.hpp"
#include "stiefel/world/row_blocks.hpp"

namespace stiefel::amg {

// What a rank takes of what it has whole.

/// Rows, and columns, of a matrix.
struct MatrixPart {
    Index first_row, n_rows;
    Index first_col, n_cols;
};

/// Those rows in those columns, both counted from there.
DeviceCsr<double> inside(Cuda&, const DeviceCsr<double>& a, const MatrixPart&);
/// What those rows have in all other columns, which keep their numbers.
DeviceCsr<double> outside(Cuda&, const DeviceCsr<double>& a, const MatrixPart&);

DeviceVector<double> part_of(Cuda&, const DeviceVector<double>& numbers, Index first, Index n);

/// The numbers at these places: double, Index. Waits for the device.
template <class V>
HostVector<V> numbers_at(Cuda&, const DeviceVector<V>& numbers, const HostVector<Index>& places);

/// Which rank is to hold which rows, ascending, of a matrix whose columns lie so: as many as have the middle of their
/// entries with it. Waits for the device.
RowBlocks rows_beside(Cuda&, const DeviceCsr<double>& a, const RowBlocks& columns);

/// places += by
void shift(Cuda&, DeviceVector<Index>& places, Index by);

}  // namespace stiefel::amg
