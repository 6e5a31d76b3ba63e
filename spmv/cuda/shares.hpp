#pragma once

#include "stiefel/spmv/device_formats.hpp"

#include <span>

namespace stiefel {

/// The shares of a matrix whose row offsets are on the device already: one kernel, a binary search per share.
CsrShares csr_shares(Cuda& backend, const RowOffsets<DeviceMemory>& row_ptr, Index n_rows, Size nnz);

/// The shares of several matrices, for whose longest rows the host waits once.
class StartedShares {
public:
    StartedShares(Cuda& backend, Size matrices);

    /// Of the next; complete when they are finished.
    CsrShares start(Cuda& backend, const RowOffsets<DeviceMemory>& row_ptr, Index n_rows, Size nnz);

    /// All that were started, in that order.
    void finish(Cuda& backend, std::span<CsrShares* const> shares) const;

private:
    DeviceVector<Index> longest_;
    Size made_;
};

}  // namespace stiefel
