#pragma once

#include "stiefel/spmv/device_formats.hpp"

namespace stiefel::cuda {

/// The lengths of the rows, and of the longest. Waits for that.
DeviceVector<Index> row_lengths(Cuda&, const RowOffsets<DeviceMemory>& row_ptr, Index n_rows, Index& longest);

/// As rows_by_length() of a host. Waits, unless sigma is 1.
DeviceVector<Index> rows_by_length(Cuda&, const DeviceVector<Index>& row_length, Index n_rows, Size n_slots,
                                   Index sigma);

}  // namespace stiefel::cuda
