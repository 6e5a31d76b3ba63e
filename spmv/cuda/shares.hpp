#pragma once

#include "stiefel/spmv/device_formats.hpp"

#include <optional>
#include <span>
#include <vector>

namespace stiefel {

/// The shares of a matrix whose row offsets are on the device already: one kernel, a binary search per share. It waits
/// for the stream unless the length of the longest row is known.
CsrShares csr_shares(Cuda& backend, const RowOffsets<DeviceMemory>& row_ptr, Index n_rows, Size nnz,
                     std::optional<Index> longest_row = std::nullopt);

/// The shares of several matrices, for whose longest rows the host waits once, or not at all where all are known.
class StartedShares {
public:
    /// So many matrices.
    explicit StartedShares(Size matrices);

    /// Of the next; complete when they are finished.
    CsrShares start(Cuda& backend, const RowOffsets<DeviceMemory>& row_ptr, Index n_rows, Size nnz,
                    std::optional<Index> longest_row = std::nullopt);

    /// All that were started, in that order.
    void finish(Cuda& backend, std::span<CsrShares* const> shares) const;

private:
    DeviceVector<Index> longest_;              // none yet
    std::vector<std::optional<Index>> known_;  // of those that were started
    Size matrices_;
};

}  // namespace stiefel
