#pragma once

#include "stiefel/spmv/device_formats.hpp"

namespace stiefel {

/// The shares of a matrix whose row offsets are on the device already: one kernel, a binary search per share.
CsrShares csr_shares(Cuda& backend, const RowOffsets<DeviceMemory>& row_ptr, Index n_rows, Size nnz);

}  // namespace stiefel
