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

}  // namespace stiefel::cuda
