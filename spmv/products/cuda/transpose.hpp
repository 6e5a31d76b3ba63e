#pragma once

#include "stiefel/spmv/device_formats.hpp"

namespace stiefel::cuda {

/// The entries of a matrix column by column: their numbers, those of a column in their order.
struct ColumnEntries {
    RowOffsets<DeviceMemory> begin;  ///< of each column, and the end
    DeviceVector<unsigned> number;
};

/// column[k]: that of entry k, of n_cols. Memory: 16 bytes an entry while it runs. Throws InvalidArgument for more than
/// 2^32 - 1 entries.
ColumnEntries entries_of_columns(Cuda&, const DeviceVector<Index>& column, Index n_cols);

/// Entries of a longer column are not put in order one by one.
inline constexpr Index longest_ordered_column = 256;

/// A' where the entries of the columns of A are counted, none above longest_ordered_column, and they begin there.
/// Zeroes the counts. Does not wait for the device. Memory: 12 bytes an entry beside A'.
template <class T>
DeviceCsr<T> transpose(Cuda&, const DeviceCsr<T>& a, DeviceVector<Index>& count, RowOffsets<DeviceMemory> begin);

}  // namespace stiefel::cuda
